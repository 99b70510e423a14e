import type { Test } from 'tap'
import { findUserByEmail } from '../../../db/accounts/users.ts'
import type { Db } from '../../../db/schema.ts'
import type { ServiceOptions } from '../../../index.ts'
import { redirectUri } from '../browser/browser.ts'
import { accessToken, basic, graphqlRequest } from '../http/http.ts'
import { remember, secret } from './secrets.ts'
import { addClient, addUser, client, service } from './service.ts'

export const admin = { email: 'root@example.com', password: secret('root') }
export const console_ = { authorization: basic('console') }
export const good = remember('harbour-violin-s3cr3t-kettle')

/** Starts a service with an administrator, and a client that may have the scope `admin`. */
export async function start(t: Test, options: ServiceOptions = {}) {
  const running = await service(t, options)
  const { db, url } = running
  await addUser(db, { ...admin, firstName: 'Root', lastName: '', role: 'admin' })
  await addClient(db, {
    id: 'console',
    grantTypes: ['password', 'client_credentials', 'refresh_token', 'authorization_code'],
    scopes: ['read', 'write', 'admin'],
    redirectUris: [redirectUri],
    firstParty: true
  })
  const tokenOf = (who: { email: string; password: string }, scope = 'read admin') =>
    accessToken(url, { username: who.email, password: who.password, scope }, console_)
  const token = await tokenOf(admin)
  const ask = async (query: string, variables: object = {}, as = token) => {
    const response = await graphqlRequest(url, as, { query, variables })
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests check
    return (await response.json()) as any
  }
  const idOf = async (email: string) => (await findUserByEmail(db, email))?.id as string
  const events = async (action?: string) => {
    const { data } = await ask(
      'query ($action: String) { auditEvents(first: 100, action: $action) { nodes { action actor { subject name clientId address } targetKind targetId details } } }',
      { action }
    )
    return data.auditEvents.nodes
  }
  return { ...running, token, tokenOf, ask, idOf, events }
}

export const errors = 'userErrors { code message path }'
export const mutations = (id: string) => ({
  inviteUser: `inviteUser(input: { email: "new@example.com", role: reader }) { link user { id } ${errors} }`,
  resetPassword: `resetPassword(id: "${id}") { link user { id } ${errors} }`,
  updateUser: `updateUser(id: "${id}", input: { firstName: "New", role: editor }) { user { firstName role } ${errors} }`,
  endSessions: `endSessions(id: "${id}") { user { sessions } ${errors} }`,
  addClient: `addClient(input: { id: "shop" }) { secret client { id scopes } ${errors} }`,
  rotateClientSecret: `rotateClientSecret(id: "${client.id}", overlap: 60) { secret ${errors} }`,
  updateClient: `updateClient(id: "${client.id}", input: { displayName: "Shop", disabled: true }) { client { displayName disabled } ${errors} }`,
  deleteClient: `deleteClient(id: "${client.id}") { deletedId ${errors} }`,
  deleteUser: `deleteUser(id: "${id}") { deletedId ${errors} }`
})
export const queries = {
  users: 'users(search: "ada") { nodes { email role sessions lastLogin lockedUntil } }',
  user: 'user(id: "x") { email }',
  clients: 'clients { id }',
  loginProviders: 'loginProviders { id }',
  auditEvents: 'auditEvents { nodes { action } }'
}
/** Reads every row of the trail as one text. */
export const wholeTrail = async (db: Db) =>
  JSON.stringify(await db.selectFrom('product_audit').selectAll().execute())
