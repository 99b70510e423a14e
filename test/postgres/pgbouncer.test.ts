// Runs on PostgreSQL only, in test:all only.
/** Behind PgBouncer in transaction mode: a connection lasts for one transaction only. */
import { t } from 'tap'
import { findStoredClient } from '../../db/accounts/clients.ts'
import type { Db } from '../../db/schema.ts'
import { findPartialTemplate } from '../../db/templates/product-templates.ts'
import { exportTemplates } from '../../db/templates/read/list.ts'
import { transact } from '../../db/transaction.ts'
import { defaultValues } from '../../domain/columns.ts'
import { migrations, openDatabase } from '../../features/database.ts'
import { demo } from '../../seeds/credentials.ts'
import * as store from '../../store.ts'
import { migratedUrl, onServer, postgresUrl } from '../support/database/database.ts'
import { accessToken, basic, query, tokenRequest } from '../support/http/http.ts'
import { startPgbouncer } from '../support/postgres/pgbouncer.ts'
import { needs } from '../support/programs.ts'
import { run, serve } from '../support/service/process.ts'
import { addClient, addTemplates, client } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const demoUser = { username: demo.email, password: demo.password }

t.test(
  'instances start, migrate, log in, refresh and read through PgBouncer',
  needs('pgbouncer'),
  async t => {
    const direct = await postgresUrl(t)
    const url = await startPgbouncer(t, direct)
    const env = { DATABASE_URL: url, PASSWORD_MEMORY: '7168', ISSUER: 'https://templates.example.com' }
    const all = await Promise.all([1, 2, 3].map(() => serve(t, ['--demo'], env)))
    const ran = await onServer(direct, 'select name from product_migration')
    t.equal(ran.rowCount, Object.keys(migrations).length)
    const added = await run(
      t,
      ['client', 'add', 'app', '--grant', 'password', '--grant', 'refresh_token'],
      env
    )
    const app = { authorization: basic('app', added.stdout.trim()) }

    const logins = await Promise.all(
      Array.from({ length: 30 }, (_, turn) => tokenRequest(all[turn % 3]?.url as string, demoUser, app))
    )
    t.same(new Set(logins.map(({ status }) => status)), new Set([200]))
    const { refresh_token } = (await (logins[0] as Response).json()) as { refresh_token: string }
    const form = { grant_type: 'refresh_token', username: undefined, password: undefined, refresh_token }
    const statuses = await Promise.all(
      all.map(async ({ url }) => (await tokenRequest(url, form, app)).status)
    )
    t.same(statuses.sort(), [200, 400, 400])
    const token = await accessToken(all[0]?.url as string, demoUser, app)
    const reads = await Promise.all(
      Array.from({ length: 60 }, (_, turn) =>
        query(all[turn % 3]?.url as string, token, '{ allProducts { id } }')
      )
    )
    t.same(new Set(reads.map(({ status }) => status)), new Set([200]))
    // Background work takes one for a moment; none may stay. Other databases of the server have their own.
    const locks = `select 1 from pg_locks join pg_database on pg_database.oid = database
    where locktype = 'advisory' and datname = current_database()`
    await until(async () => (await onServer(direct, locks)).rowCount === 0)
  }
)

t.test('behind a pooler that shares connections, no statement fails', needs('pgbouncer'), async t => {
  const direct = await migratedUrl(t)
  const writer = await openDatabase(direct)
  t.teardown(() => writer.destroy())
  await addClient(writer)
  await addTemplates(writer, {})
  const url = await startPgbouncer(t, direct)
  for (const inTransaction of [false, true]) {
    const pools = await Promise.all([1, 2].map(() => openDatabase(url, { databasePoolSize: 6 })))
    for (const db of pools) t.teardown(() => db.destroy())
    const job = async (db: Db) => [await findStoredClient(db, client.id), await findPartialTemplate(db, 0)]
    const found = await Promise.all(
      Array.from({ length: 60 }, (_, turn) => {
        const db = pools[turn % 2] as Db
        return inTransaction ? transact(db, job) : job(db)
      })
    )
    t.ok(found.flat().every(row => row !== undefined))
  }
})

t.test(
  'an export, which does not start again, prepares none of its statements',
  needs('pgbouncer'),
  async t => {
    const direct = await migratedUrl(t)
    const writer = await openDatabase(direct)
    t.teardown(() => writer.destroy())
    const data = JSON.stringify({ description: 'x'.repeat(40_000) })
    await addTemplates(writer, { data }, { data })
    const url = await startPgbouncer(t, direct)
    const exportAll = async () => {
      const db = await openDatabase(url, { databasePoolSize: 1 })
      t.teardown(() => db.destroy())
      return exportTemplates(db, {}, async ({ read }) => {
        let found = 0
        for await (const batch of read()) found += batch.length
        return found
      })
    }
    t.equal(await exportAll(), 2)
    t.equal(await exportAll(), 2, 'the server still has the statements of the first one')
  }
)

t.test(
  'an import, and a transaction of a host, prepare no statement, because neither can begin again',
  needs('pgbouncer'),
  async t => {
    const direct = await migratedUrl(t)
    const url = await startPgbouncer(t, direct)
    const values = { ...defaultValues, publicProduct: true, componentName: 'A', data: '{}' }
    const data = JSON.stringify({ attributes: [{ trait_type: 'MadeIn', value: 'Portugal' }] })
    const env = { DATABASE_URL: url }
    for (const name of ['one', 'two', 'three']) {
      const records = JSON.stringify([{ ...values, id: 1, name, data }])
      const { code, stderr } = await run(t, ['import', '--format', 'json', '--replace', '-'], env, records)
      t.equal(code, 0, stderr)
      t.equal((await run(t, ['reindex'], env)).code, 0)
    }

    const pools = await Promise.all([1, 2].map(() => openDatabase(url, { databasePoolSize: 1 })))
    for (const db of pools) t.teardown(() => db.destroy())
    for (const [index, db] of pools.entries()) {
      const id = index + 2
      const record = { values: { ...values, id, name: 'new' }, place: undefined }
      t.match(await store.templates.import(db, [record]), { written: true })
      await db.transaction().execute(async transaction => {
        const { product } = await store.templates.update(transaction, id, { name: 'changed', data })
        t.match(product, { name: 'changed', revision: 2 })
        await store.templates.delete(transaction, id)
      })
      const where = { name: { contains: 'three' } }
      t.match(await store.templates.list(db, { where }), [{ id: 1 }])
    }
  }
)
