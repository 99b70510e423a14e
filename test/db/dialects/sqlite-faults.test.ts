// Runs on SQLite only, alone, in test:all only.
/** What befalls a database file while the service runs on it. */
import { execFile } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import { type Test, t } from 'tap'
import type { Db } from '../../../db/schema.ts'
import { openDatabase } from '../../../features/database.ts'
import { findCorruption, sqliteUrl } from '../../support/database/database.ts'
import { accessToken, basic, oauthError, query, tokenRequest } from '../../support/http/http.ts'
import { serve } from '../../support/service/process.ts'
import { addClient, addTemplates, addUser, client } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

const headers = { authorization: basic('app', client.secret) }

/** The process on a file with a template, a user and a client that gets refresh tokens. */
async function serveFile(t: Test, limits = '') {
  const databaseUrl = await sqliteUrl(t)
  const db = await openDatabase(databaseUrl)
  await addUser(db)
  await addClient(db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  await addTemplates(db, {})
  await db.destroy()
  const service = await serve(t, [], { DATABASE_URL: databaseUrl }, limits)
  const token = await accessToken(service.url, {}, headers)
  return { ...service, databaseUrl, path: databaseUrl.slice('sqlite:'.length), token }
}

const changes = '{ changes { nodes { templateId } } }'
const read = (url: string, token: string) => query(url, token, '{ allProducts { id } }')
const status = async (url: string, path: string) => (await fetch(`${url}${path}`)).status

async function refusedLogin(t: Test, url: string) {
  const response = await tokenRequest(url, {}, headers)
  t.equal(response.headers.get('retry-after'), '1')
  t.same(await oauthError(t, response), [503, 'temporarily_unavailable'])
}

t.test('if the file is removed, nothing is acknowledged; once it is back, the service continues', async t => {
  const { url, path, token, databaseUrl } = await serveFile(t)
  await rename(path, `${path}.away`)
  await refusedLogin(t, url)
  // What was seen a moment before holds for reading, for a tenth of a second.
  await until(async () => (await status(url, '/readyz')) !== 200)
  await until(async () => (await read(url, token)).status !== 200)
  const refused = await read(url, token)
  t.equal(refused.status, 503)
  t.match(refused.body, { errors: [{ extensions: { code: 'UNAVAILABLE' } }] })
  t.equal(await status(url, '/livez'), 200)

  await rename(`${path}.away`, path)
  await until(async () => (await status(url, '/readyz')) === 200)
  t.same((await read(url, token)).body, { data: { allProducts: [{ id: 0 }] } })
  t.equal((await tokenRequest(url, {}, headers)).status, 200)
  t.same(await findCorruption(databaseUrl), [])
})

t.test('a replaced file is not written to, and the log tells what to do', async t => {
  const { url, path, line } = await serveFile(t)
  await rename(path, `${path}.away`)
  const other = await openDatabase(`sqlite:${path}`)
  t.teardown(() => other.destroy())
  await refusedLogin(t, url)
  await line('stdout', /was replaced: restart the service/)
  t.same(await other.selectFrom('product_attempt').selectAll().execute(), [])
})

t.test(
  'another process that holds the file locked: reading goes on, writing waits and is refused',
  async t => {
    const { url, path, token } = await serveFile(t)
    const other = new Sqlite(path)
    t.teardown(() => other.close())
    other.exec('begin immediate')
    const logins = [refusedLogin(t, url), refusedLogin(t, url), refusedLogin(t, url)]
    t.equal((await read(url, token)).status, 200)
    t.equal(await status(url, '/readyz'), 200)
    await Promise.all(logins)
    other.exec('commit')
    t.equal((await tokenRequest(url, {}, headers)).status, 200)
  }
)

t.test(
  'on a full disk writes are refused and reads continue; with free space everything works again',
  async t => {
    const { url, path, token, child, databaseUrl, line } = await serveFile(t)
    const limit = (size: number | string) =>
      promisify(execFile)('prlimit', [`--pid=${child.pid}`, `--fsize=${size}:`])
    await limit((await stat(`${path}-wal`)).size)
    await refusedLogin(t, url)
    t.equal((await read(url, token)).status, 200)
    // The template has no place in the feed yet.
    t.equal((await query(url, token, changes)).status, 503)
    // A file as large as the log fits, so only less shows it to the probe.
    await limit(4096)
    await until(async () => (await status(url, '/readyz')) !== 200)
    const found = await fetch(`${url}/readyz`)
    t.match(await found.json(), { checks: { database: 'ok', writable: 'disk full' } })
    t.match(await line('stdout', /"the service is not ready"/), /"level":40,.*EFBIG/)
    await limit('unlimited')
    await until(async () => (await status(url, '/readyz')) === 200)
    await line('stdout', /"the service is ready again"/)
    t.equal((await tokenRequest(url, {}, headers)).status, 200)
    t.same((await query(url, token, changes)).body, { data: { changes: { nodes: [{ templateId: 0 }] } } })
    t.same(await findCorruption(databaseUrl), [])
  }
)

/** Root may write to any file, unless it gives up its capabilities. */
const withoutCapabilities =
  process.getuid?.() === 0 ? 'set -- setpriv --inh-caps=-all --bounding-set=-all env "$@"' : ''

t.test('with a file that cannot be written the service is not ready', async t => {
  const { url, path } = await serveFile(t, withoutCapabilities)
  chmodSync(path, 0o400)
  t.equal(await status(url, '/readyz'), 503)
  t.equal(await status(url, '/livez'), 200)
  chmodSync(path, 0o600)
  await until(async () => (await status(url, '/readyz')) === 200)
})

t.test('a replaced file breaks no later read-only transaction', async t => {
  const [path, other] = [
    (await sqliteUrl(t)).slice('sqlite:'.length),
    (await sqliteUrl(t)).slice('sqlite:'.length)
  ]
  const db = await openDatabase(`sqlite:${path}`)
  t.teardown(() => db.destroy())
  await (await openDatabase(`sqlite:${other}`)).destroy()
  await addTemplates(db, {})
  const count = () =>
    db
      .transaction()
      .setAccessMode('read only')
      .execute(
        async transaction => (await transaction.selectFrom('product_template').select('id').execute()).length
      )
  await rename(path, `${path}.away`)
  await rename(other, path)
  await t.rejects(count(), { code: 'SQLITE_READONLY_DBMOVED' })
  await rename(path, other)
  await rename(`${path}.away`, path)
  t.equal(await count(), 1)
})

/** Begins as many read-only transactions as there are handles; returns the function that ends them. */
async function takeSnapshots(db: Db): Promise<() => Promise<void>> {
  const ended = Promise.withResolvers<void>()
  const begun: Promise<void>[] = []
  const ends = Array.from({ length: 4 }, () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    begun.push(promise)
    const job = () => {
      resolve()
      return ended.promise
    }
    return db.transaction().setAccessMode('read only').execute(job)
  })
  await Promise.all(begun)
  return async () => {
    ended.resolve()
    await Promise.allSettled(ends)
  }
}

const readSnapshot = (db: Db) =>
  db
    .transaction()
    .setAccessMode('read only')
    .execute(transaction => transaction.selectFrom('product_template').select('id').execute())

t.test('a reader that waited for a snapshot does not read a file that was removed meanwhile', async t => {
  const url = await sqliteUrl(t)
  const path = url.slice('sqlite:'.length)
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  const end = await takeSnapshots(db)
  let hasRead = false
  const waiting = db
    .transaction()
    .setAccessMode('read only')
    .execute(async () => {
      hasRead = true
    })
  const refused = t.rejects(waiting, { code: 'SQLITE_READONLY_DBMOVED' })
  await rename(path, `${path}.away`)
  await Promise.all([refused, end()])
  t.equal(hasRead, false)
  await rename(`${path}.away`, path)
  t.same(await readSnapshot(db), [])
})
