import Sqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { t } from 'tap'
import { findClient } from '../../db/accounts/clients.ts'
import { listSigningKeys } from '../../db/accounts/signing-keys.ts'
import { SqliteDialect } from '../../db/dialects/sqlite/dialect.ts'
import { migrate, migrations } from '../../db/migrate.ts'
import type { AnyDb, Db } from '../../db/schema.ts'

const open = () => new Kysely({ dialect: new SqliteDialect(new Sqlite(':memory:')) }) as AnyDb

/** A database as the first version left it. */
async function firstVersion() {
  const db = open()
  const provider = { getMigrations: async () => ({ '0001-initial': migrations['0001-initial'] as never }) }
  const names = { migrationTableName: 'product_migration', migrationLockTableName: 'product_migration_lock' }
  const { error } = await new Migrator({ db, provider, ...names }).migrateToLatest()
  if (error) throw error
  return db
}

t.test('each migration runs once, in order', async t => {
  const db = open()
  t.teardown(() => db.destroy())
  t.same(await migrate(db), Object.keys(migrations))
  t.same(await migrate(db), [])
  t.same(Object.keys(migrations), Object.keys(migrations).toSorted(), 'names sort in the order of the list')
})

t.test('data stored by the first version is kept and works', async t => {
  const db = await firstVersion()
  t.teardown(() => db.destroy())
  const time = '2026-01-02T03:04:05.678901Z'
  await db
    .insertInto('product_signing_key')
    .values({ id: 'k', algorithm: 'ES256', private_jwk: '{}', time_created: time })
    .execute()
  const client = { id: 'app', secret_hash: 'x', grant_types: 'password', scope: 'read write' }
  await db
    .insertInto('product_client')
    .values({ ...client, time_created: time, time_modified: time })
    .execute()
  t.same(await migrate(db), Object.keys(migrations).slice(1))
  t.match(await listSigningKeys(db as Db), [{ id: 'k', status: 'current', timeActivated: time }])
  t.match(await findClient(db as Db, 'app'), { mayIntrospect: false, grantTypes: ['password'] })
})

t.test('a failed migration is rolled back', async t => {
  const db = await firstVersion()
  t.teardown(() => db.destroy())
  // In the way of the second version, in the middle of it.
  await db.schema.createTable('product_revoked_token').addColumn('x', 'text').execute()
  await t.rejects(migrate(db), /already exists/)
  const tables = (await db.introspection.getTables()).map(({ name }) => name)
  t.notOk(tables.includes('product_token_family'))
  await db.schema.dropTable('product_revoked_token').execute()
  t.same(await migrate(db), Object.keys(migrations).slice(1))
})
