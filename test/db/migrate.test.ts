import Sqlite from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { t } from 'tap'
import { findStoredClient } from '../../db/accounts/clients.ts'
import { listSigningKeys } from '../../db/accounts/signing-keys.ts'
import { openDatabase } from '../../db/connect.ts'
import { SqliteDialect } from '../../db/dialects/sqlite/dialect.ts'
import { migrate, migrations } from '../../db/migrate.ts'
import type { AnyDb, Db } from '../../db/schema.ts'
import { databaseUrl, onServer } from '../support/database/database.ts'
import { onlyOn } from '../support/database/only-on.ts'

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
  t.match(await findStoredClient(db as Db, 'app'), { mayIntrospect: false, grantTypes: ['password'] })
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

t.test('a store with newer steps opens unless it says that a program must know them', async t => {
  const db = open()
  t.teardown(() => db.destroy())
  await migrate(db)
  await db.insertInto('product_migration_step').values({ name: '9999-later', time: '' }).execute()
  t.same(await migrate(db), [])
  await db.updateTable('product_store').set({ oldest_migration: '9999-later' }).execute()
  await t.rejects(migrate(db), { code: 'PTS_BAD_DATABASE', message: /9999-later\): upgrade/ })
})

for (const [step, scope, wider] of [
  ['0013-token-origin', 'read write', 'read write profile'],
  ['0019-audit', 'read write profile', 'read write profile admin']
] as const)
  t.test(
    `${step}: the explorer gets the scope that its page needs, unless somebody has changed it`,
    async t => {
      for (const [before, after] of [
        [scope, wider],
        ['read', 'read']
      ]) {
        const db = open()
        t.teardown(() => db.destroy())
        for (const name of Object.keys(migrations).filter(name => name < step)) await migrations[name]?.up(db)
        const common = { secret_hash: 'x', grant_types: 'authorization_code', is_public: 1, first_party: 1 }
        const times = { time_created: '', time_modified: '' }
        const rows = ['explorer', 'page'].map(id => ({ id, scope: before, ...common, ...times }))
        await db.insertInto('product_client').values(rows).execute()
        await migrations[step]?.up(db)
        const scopeOf = async (id: string) => (await findStoredClient(db as Db, id))?.scopes.join(' ')
        t.same([await scopeOf('explorer'), await scopeOf('page')], [after, before])
      }
    }
  )

t.test('two processes migrate at once, and each step runs once', async t => {
  const url = await databaseUrl(t)
  const opened = await Promise.all([1, 2, 3].map(() => openDatabase(url)))
  for (const db of opened) t.teardown(() => db.destroy())
  const steps = await (opened[0] as AnyDb).selectFrom('product_migration_step').select('name').execute()
  t.same(
    steps.map(({ name }) => name),
    Object.keys(migrations).slice(-steps.length)
  )
})

onlyOn('postgres', 'a step waits for nobody: others use the table meanwhile', async t => {
  const url = await databaseUrl(t)
  const db = (await openDatabase(url)) as AnyDb
  t.teardown(() => db.destroy())
  // As before the last step that alters the table of templates.
  await sql`drop table product_audit, product_passkey, product_passkey_challenge, product_revision, product_template_past, product_store, product_idempotency, product_media, product_identity, product_password_link, product_provider_login, product_version, product_session, product_consent, product_authorization_code, product_webhook_delivery, product_webhook, product_webhook_leader, product_migration_step`.execute(
    db
  )
  await sql`drop function product_template_record, product_template_create, product_template_revise, product_template_count, product_version_raise, product_version_raise_if_any, product_template_number, product_audit_refuse cascade`.execute(
    db
  )
  await sql`drop sequence product_template_id`.execute(db)
  await sql`alter table product_template drop column revision`.execute(db)
  await sql`alter table product_client drop column previous_secret_hash, drop column time_previous_expires, drop column is_public, drop column first_party, drop column redirect_uris, drop column display_name, drop column token_epoch`.execute(
    db
  )
  await sql`alter table product_token_family drop column grant_type, drop column resource`.execute(db)
  await sql`alter table product_user drop column role cascade, drop column template_where`.execute(db)
  let migrated: Promise<unknown> | undefined
  await db.transaction().execute(async reader => {
    await sql`select 1 from product_template`.execute(reader)
    migrated = migrate(db)
    // It gives up again and again while the reader has the table, so that another reader gets it, too.
    for (let refused = 0; refused < 2; ) {
      const { rows } = await onServer(
        url,
        `select count(*)::int as refused from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`
      )
      refused += rows[0].refused
    }
    t.equal((await onServer(url, 'select count(*) from product_template')).rowCount, 1)
  })
  t.same(await migrated, Object.keys(migrations).slice(6))
})
