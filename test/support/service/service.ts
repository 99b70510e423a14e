import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Fastify, { type FastifyInstance } from 'fastify'
import pino from 'pino'
import type { Test } from 'tap'
import { hashPassword, hashSecret } from '../../../accounts/credentials/secrets.ts'
import { type ClientToInsert, insertClient } from '../../../db/accounts/clients.ts'
import { expiredRows } from '../../../db/accounts/expired.ts'
import { listSigningKeys } from '../../../db/accounts/signing-keys.ts'
import { insertUser, type UserToInsert } from '../../../db/accounts/users.ts'
import type { Db } from '../../../db/schema.ts'
import { planFilter } from '../../../db/templates/filter/plan.ts'
import { readWholeList } from '../../../db/templates/read/list.ts'
import { defaultOrder } from '../../../db/templates/read/order.ts'
import { transact, transactReadOnly } from '../../../db/transaction.ts'
import { defaultValues, type ProductTemplate } from '../../../domain/columns.ts'
import { openDatabase } from '../../../features/database.ts'
import { tables } from '../../../features/load.ts'
import { productTemplates, type ServiceOptions } from '../../../index.ts'
import type { PasswordCost } from '../../../options/service.ts'
import { migratedUrl } from '../database/database.ts'
import { insertProductTemplates } from '../database/insert.ts'
import { logDirectory, secret } from './secrets.ts'

/** The cheapest password hash that the settings allow. */
export const cheapHash: PasswordCost = { passwordMemory: 7168 }

/** On a busy machine, a worker thread takes seconds to load the service, and the largest answers take over a minute. */
export const testLimits = { graphqlTimeout: 600 }

export const user = { email: 'ada@example.com', password: secret('ada') }
export const client = { id: 'test-client', secret: secret('client') }

/** Creates a migrated database without rows, on the engine of this run. */
export async function database(t: Test): Promise<Db> {
  const db = await openDatabase(await migratedUrl(t))
  t.teardown(() => db.destroy())
  return db
}

/** Creates a Fastify instance that records every log line. */
export function host(t: Test): FastifyInstance {
  mkdirSync(logDirectory, { recursive: true })
  // Never closed, because a broken connection is logged after the server has closed.
  const stream = pino.destination({
    dest: fileURLToPath(new URL(`${randomUUID()}.log`, logDirectory)),
    sync: true
  })
  // On a busy machine, a plugin may take longer than Fastify's ten seconds.
  const app = Fastify({ logger: { level: 'trace', stream }, pluginTimeout: 0 })
  t.teardown(() => app.close())
  return app
}

export interface Service {
  app: FastifyInstance
  db: Db
  /** The address of the service, including the prefix. */
  url: string
}

/** Starts the service in a host on its own port, with one user and one client. */
export async function service(t: Test, options: ServiceOptions & { prefix?: string } = {}): Promise<Service> {
  const db = (options.db as Db | undefined) ?? (await database(t))
  await addUser(db)
  await addClient(db)
  const app = host(t)
  await app.register(productTemplates, { ...cheapHash, ...testLimits, ...options, db })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, db, url: `${origin}${options.prefix ?? ''}` }
}

const hashes = new Map<string, Promise<string>>()

/** Hashes each password once in a process. */
function hashOnce(password: string): Promise<string> {
  const hash = hashes.get(password) ?? hashPassword(password, cheapHash)
  hashes.set(password, hash)
  return hash
}

export async function addUser(
  db: Db,
  { password = user.password, ...more }: Partial<UserToInsert> & { password?: string } = {}
) {
  const whole = {
    id: randomUUID(),
    email: user.email,
    firstName: 'Ada',
    lastName: 'Byron',
    country: 'England',
    mobile: '+44 20 0000 0000',
    wallets: ['0x52908400098527886E0F7030069857D2E4169EE7'],
    passwordHash: await hashOnce(password),
    ...more
  }
  await transact(db, transaction => insertUser(transaction, whole))
}

export async function addClient(db: Db, more: Partial<ClientToInsert> = {}) {
  const whole: ClientToInsert = {
    id: client.id,
    secretHash: hashSecret(client.secret),
    grantTypes: ['password'],
    scopes: ['read', 'write'],
    mayIntrospect: false,
    ...more
  }
  await transact(db, transaction => insertClient(transaction, whole))
}

export async function addTemplates(db: Db, ...templates: Partial<ProductTemplate>[]) {
  const whole = templates.map((template, index) => ({
    ...defaultValues,
    id: index,
    maxItems: 10,
    name: `template ${index}`,
    publicProduct: true,
    timeCreated: '2026-01-02T03:04:05.678901Z',
    timeModified: '2026-01-02T03:04:05.678901Z',
    data: '{}',
    ...template
  }))
  await transact(db, transaction => insertProductTemplates(transaction, whole))
}

/** Reads the current signing key from the database. */
export async function signingKey(db: Db) {
  const [key] = await listSigningKeys(db)
  if (!key) throw new Error('no signing key')
  return { id: key.id, privateJwk: JSON.parse(key.privateJwk) as Record<string, string> }
}

/** Reads all templates in the default order. */
export async function storedTemplates(db: Db): Promise<ProductTemplate[]> {
  return transactReadOnly(db, async snapshot => {
    const found: ProductTemplate[] = []
    const plan = planFilter(snapshot, {})
    for await (const batch of readWholeList(snapshot, plan, { order: defaultOrder })) found.push(...batch)
    return found
  })
}

/** Makes each use of a refresh token so old that it may not be repeated. */
export const endGracePeriod = (db: Db) =>
  db
    .updateTable('product_refresh_token')
    .set({ time_used: '2026-01-01T00:00:00.000000Z' })
    .where('time_used', 'is not', null)
    .execute()

/** Deletes expired rows, as the service does every minute. */
export async function deleteExpired(db: Db, accessTokenTtl = 86_400): Promise<void> {
  const lifetimes = { accessTokenTtl, sessionTtl: 86_400, sessionIdleTtl: 86_400 }
  for (const query of expiredRows(db, tables, lifetimes)) await query.execute()
}
