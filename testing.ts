/** A service in memory for the tests of an application that uses it. */
import './runtime/package/node-version.ts'

import Fastify, { type FastifyInstance } from 'fastify'
import { defaultValues } from './domain/columns.ts'
import type { ServiceOptions } from './options/index.ts'
import { productTemplates } from './service.ts'
import {
  clients,
  type Db,
  type NewClient,
  type NewUser,
  openDatabase,
  type TemplateValues,
  templates,
  users
} from './store.ts'

/** The data and options of the test service. */
export interface TestServiceOptions {
  /** Templates. Omitted values are those of a small template. An invalid template is refused. */
  templates?: (Partial<TemplateValues> & { id?: number })[]
  /** By default one user, `user@example.com`. A user without a password gets one. */
  users?: (Omit<NewUser, 'password'> & { password?: string })[]
  /** By default one client, `test`, for the password grant with `read` and `write`. */
  clients?: NewClient[]
  /** Options of the plugin. */
  service?: Omit<ServiceOptions, 'db' | 'database'>
}

export interface TestService {
  /** A Fastify instance that is ready for `inject`. */
  app: FastifyInstance
  db: Db
  /** Gets an access token by the password grant. Rejects if the endpoint refuses. */
  token(given?: TokenOptions): Promise<string>
  /** Sends an operation with a token of the first client. Resolves to the body of the response. */
  graphql<Data = unknown>(
    query: string,
    variables?: object,
    token?: string
  ): Promise<{ data?: Data; errors?: { message: string; extensions?: Record<string, unknown> }[] }>
  close(): Promise<void>
}

export interface TokenOptions {
  /** The first user if omitted. */
  email?: string
  /** The first client if omitted. */
  clientId?: string
  /** Scopes separated by spaces; `read write` if omitted, as far as the client may have them. */
  scope?: string
}

/** The cheapest password hash that the settings allow. */
const cheapHash = { passwordMemory: 7168 }

const smallTemplate: TemplateValues = {
  ...defaultValues,
  name: 'Template',
  publicProduct: true,
  data: '{"attributes":[]}'
}

/** Builds a service on an empty database in memory. Throws an error that names the problems of an invalid template. */
export async function buildTestService({
  templates: givenTemplates = [],
  users: givenUsers = [{ email: 'user@example.com' }],
  clients: givenClients = [{ id: 'test' }],
  service = {}
}: TestServiceOptions = {}): Promise<TestService> {
  const db = await openDatabase('sqlite::memory:')
  for (const template of givenTemplates) {
    const { problems } = await templates.create(db, { ...smallTemplate, ...template })
    if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('; '))
  }
  const passwords = new Map<string, string>()
  for (const user of givenUsers) {
    const { password = 'password' } = user
    await users.add(db, { ...user, password }, cheapHash)
    passwords.set(user.email, password)
  }
  const secrets = new Map<string, string>()
  for (const client of givenClients) secrets.set(client.id, (await clients.add(db, client)).secret ?? '')

  const app = Fastify()
  app.addHook('onClose', () => db.destroy())
  await app.register(productTemplates, { issuer: 'http://localhost', ...cheapHash, ...service, db })
  await app.ready()

  const token = async ({
    email = [...passwords.keys()][0] ?? '',
    clientId = [...secrets.keys()][0] ?? '',
    scope
  }: TokenOptions = {}) => {
    const form = { grant_type: 'password', username: email, password: passwords.get(email) ?? '' }
    const response = await app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: {
        authorization: `Basic ${btoa(`${encodeURIComponent(clientId)}:${secrets.get(clientId)}`)}`,
        'content-type': 'application/x-www-form-urlencoded'
      },
      payload: new URLSearchParams({ ...form, ...(scope && { scope }) }).toString()
    })
    const { access_token, error_description } = response.json()
    if (response.statusCode !== 200) throw new Error(`no token: ${error_description}`)
    return access_token
  }
  const graphql: TestService['graphql'] = async (query, variables = {}, given) => {
    const response = await app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { authorization: `Bearer ${given ?? (await token())}` },
      payload: { query, variables }
    })
    return response.json()
  }
  return { app, db, token, graphql, close: () => app.close() }
}
