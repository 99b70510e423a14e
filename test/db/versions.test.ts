/** Which writes change which version, whoever writes. */
import { sql } from 'kysely'
import { t } from 'tap'
import type { Db } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'
import { type Version, Versions } from '../../db/versions.ts'
import { openDatabase } from '../../features/database.ts'
import { databaseUrl, engine } from '../support/database/database.ts'
import { onlyOn } from '../support/database/only-on.ts'
import { addClient, addTemplates, addUser } from '../support/service/service.ts'

const time = '2026-01-02T03:04:05.678901Z'

const columns =
  '(id, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data, name_folded, name_key)'
const one = `values (1, 1, 1, 'one', 1, 'C', '${time}', '${time}', '{}', 'one', 'one')`
const seven = `values (7, 1, 1, 'seven', 1, 'C', '${time}', '${time}', '{}', 'seven', 'seven')`

type Statement = [statement: string, changes: keyof Version | undefined]

/** Statements, and the version that each changes; undefined for none. Some need the rows of those before. */
const statements: Statement[] = [
  [`update product_template set name = 'x' where id = 1`, 'templates'],
  [`update product_template set data = '{"a":1}'`, 'templates'],
  [`update product_template set name = 'x' where id = 99`, undefined],
  [`delete from product_template where id = 99`, undefined],
  [`insert into product_template ${columns} ${seven}`, 'templates'],
  [`delete from product_template where id = 7`, 'templates'],
  [
    `insert into product_template ${columns} ${one}
      on conflict (id) do update set name = 'one'`,
    'templates'
  ],
  [`insert into product_revoked_token (jti, time_expires) values ('t', '${time}')`, 'access'],
  [`delete from product_revoked_token`, undefined],
  [`update product_user set password_hash = 'another', time_modified = '${time}'`, undefined],
  [`update product_user set token_epoch = token_epoch + 1`, 'access'],
  [`update product_user set time_disabled = '${time}'`, 'access'],
  [`update product_user set time_disabled = '${time}'`, undefined],
  [`update product_revision set subject = 'somebody'`, 'templates'],
  [`update product_revision set hash = 'x'`, undefined],
  [`delete from product_revision where template_id = 2`, 'templates'],
  [`update product_template_index set reached = null`, 'templates'],
  [`update product_client set scope = 'read'`, undefined],
  [`update product_client set time_disabled = '${time}'`, 'access'],
  [`update product_client set token_epoch = 7`, 'access'],
  [
    `insert into product_token_family (id, client_id, user_id, scope, time_created, time_expires, grant_type)
      select 'f', product_client.id, product_user.id, 'read', '${time}', '${time}', 'password' from product_client, product_user`,
    undefined
  ],
  [`insert into product_refresh_token (hash, family_id, generation) values ('h', 'f', 0)`, undefined],
  [`update product_refresh_token set time_used = '${time}'`, undefined],
  [`update product_token_family set time_revoked = '${time}'`, 'access'],
  [`insert into product_attempt (subject, count, time_ends) values ('s', 1, '${time}')`, undefined],
  [
    `insert into product_signing_key (id, algorithm, private_jwk, time_created) values ('k', 'ES256', '{}', '${time}')`,
    undefined
  ],
  [`update product_signing_key set access_token_ttl = 1`, undefined],
  [`update product_signing_key set time_retired = '${time}'`, 'access'],
  [`delete from product_signing_key`, 'access'],
  [`delete from product_user`, 'access'],
  [`delete from product_client`, 'access'],
  ...(engine === 'postgres'
    ? ([
        ['truncate product_template', 'templates'],
        ['truncate product_user, product_client cascade', 'access']
      ] as Statement[])
    : ([
        [`replace into product_template ${columns} ${one}`, 'templates'],
        [
          `insert into product_client (id, secret_hash, grant_types, scope, time_created, time_modified)
            values ('c', 'x', 'password', 'read', '${time}', '${time}')`,
          undefined
        ],
        [
          `replace into product_client (id, secret_hash, grant_types, scope, time_created, time_modified, time_disabled)
            values ('c', 'x', 'password', 'read', '${time}', '${time}', '${time}')`,
          'access'
        ]
      ] as Statement[]))
]

async function fill(db: Db): Promise<void> {
  await addTemplates(db, {}, {}, {})
  await addUser(db)
  await addClient(db)
}

for (const whose of ['of another process', 'of this process'])
  t.test(`each write ${whose} changes its version, and no other`, async t => {
    const url = await databaseUrl(t)
    const reader = await openDatabase(url)
    const other = await openDatabase(url)
    t.teardown(() => Promise.all([reader.destroy(), other.destroy()]))
    await fill(other)
    const writer = whose === 'of this process' ? reader : other
    const versions = new Versions(reader)
    for (const [statement, changes] of statements) {
      const before = await versions.now()
      await sql.raw(statement).execute(writer)
      const after = await versions.now()
      for (const name of ['templates', 'access'] as const)
        t.equal(after[name] !== before[name], name === changes, `${name}: ${statement}`)
      t.equal(after === before, changes === undefined, 'the same version is the same object')
    }
  })

// On SQLite, a version has one row, which costs the same however often it is updated.
onlyOn('postgres', 'on PostgreSQL, a statement raises a version once', async t => {
  const db = await openDatabase(await databaseUrl(t))
  t.teardown(() => db.destroy())
  await fill(db)
  const count = sql<{
    count: string
  }>`select sum(counter) as count from product_version where name = 'templates'`
  const before = await count.execute(db)
  await sql`update product_revision set subject = 'somebody'`.execute(db)
  const after = await count.execute(db)
  t.equal(Number(after.rows[0]?.count) - Number(before.rows[0]?.count), 1)
})

t.test('a version counts from the commit on', async t => {
  const url = await databaseUrl(t)
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  await fill(db)
  const versions = new Versions(db)
  const before = await versions.now()
  await transact(db, async transaction => {
    await sql`update product_template set name = 'x'`.execute(transaction)
    t.equal(await versions.now(), before)
  })
  const after = await versions.now()
  t.not(after.templates, before.templates)
  await t.rejects(
    transact(db, async transaction => {
      await sql`update product_template set name = 'y'`.execute(transaction)
      throw new Error('rolled back')
    })
  )
  t.equal(await versions.now(), after)
})

t.test('a database in memory has versions', async t => {
  const db = await openDatabase('sqlite::memory:')
  t.teardown(() => db.destroy())
  await fill(db)
  const versions = new Versions(db)
  const before = await versions.now()
  t.equal(await versions.now(), before)
  await sql`update product_template set name = 'x'`.execute(db)
  t.not((await versions.now()).templates, before.templates)
})

onlyOn('postgres', 'writers of the same version do not wait for each other', async t => {
  const url = await databaseUrl(t)
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  await addTemplates(db, {})
  const versions = new Versions(db)
  const before = await versions.now()
  const revoke = (jti: string) => sql`insert into product_revoked_token values (${jti}, ${time})`
  // One within the other, so that each would wait for ever.
  const nest = (depth: number): Promise<void> =>
    db.transaction().execute(async transaction => {
      await revoke(`t${depth}`).execute(transaction)
      if (depth > 1) await nest(depth - 1)
    })
  await nest(8)
  t.not((await versions.now()).access, before.access)
})

onlyOn('postgres', 'each commit counts, in whatever order transactions began', async t => {
  const url = await databaseUrl(t)
  const [db, reader] = await Promise.all([openDatabase(url), openDatabase(url)])
  t.teardown(() => Promise.all([db.destroy(), reader.destroy()]))
  const ids = [1, 2, 3, 4]
  await addTemplates(db, ...ids.map(id => ({ id })))
  const versions = new Versions(reader)
  const open = await Promise.all(ids.map(() => db.startTransaction().execute()))
  for (const [index, transaction] of open.entries())
    await sql`update product_template set name = 'x' where id = ${ids[index]}`.execute(transaction)
  let before = await versions.now()
  t.equal(await versions.now(), before)
  for (const index of [2, 0, 3, 1]) {
    await open[index]?.commit().execute()
    const after = await versions.now()
    t.not(after.templates, before.templates)
    t.equal(await versions.now(), after)
    before = after
  }
})
