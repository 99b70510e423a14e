// Runs on PostgreSQL only, alone, in test:all only.
/** Moving from SQLite to PostgreSQL and back, and that nobody can tell which of them answers. */
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import { copyDatabase } from '../../cli/database/copy-rows.ts'
import { addConsent } from '../../db/accounts/logins/consents.ts'
import { insertCode } from '../../db/accounts/logins/one-time.ts'
import { insertSession } from '../../db/accounts/logins/sessions.ts'
import { findUserByEmail, type StoredUser } from '../../db/accounts/users.ts'
import type { AnyDb } from '../../db/schema.ts'
import { completeRevisions } from '../../db/templates/revisions/hashes.ts'
import { ensureIndexed } from '../../db/templates/template-index/state.ts'
import { transact } from '../../db/transaction.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { openDatabase } from '../../features/database.ts'
import { features, tables } from '../../features/load.ts'
import { demo } from '../../seeds/credentials.ts'
import { postgresUrl, sqliteUrl } from '../support/database/database.ts'
import { accessToken, basic, graphqlRequest, query, tokenRequest } from '../support/http/http.ts'
import { run, serve, start } from '../support/service/process.ts'
import { addTemplates } from '../support/service/service.ts'

const env = { PASSWORD_MEMORY: '7168', ISSUER: 'https://templates.example.com' }
const demoUser = { username: demo.email, password: demo.password }
const demoClient = { authorization: basic(demo.clientId, demo.clientSecret) }

/** Every row of every table of ours, but for what an engine keeps for itself. */
async function rows(url: string) {
  const db: AnyDb = await openDatabase(url)
  const tables = (await db.introspection.getTables()).map(({ name }) => name).sort()
  const found: Record<string, string[]> = {}
  for (const table of tables.filter(
    name => !/migration|^product_(search|trait|template_index|store|version)/.test(name)
  )) {
    const all = await db.selectFrom(table).selectAll().execute()
    // Either engine in its own order of columns and rows.
    found[table] = all
      .map(({ sequence: _, ...row }) => JSON.stringify(Object.entries(row as object).sort()))
      .sort()
  }
  Object.assign(found, await indexed(db, url.startsWith('sqlite:')))
  await db.destroy()
  return found
}

/** What the index has, which each engine stores in its own way. */
async function indexed(db: AnyDb, sqlite: boolean) {
  const { rows } = await sql<{ id: number; terms: string }>`
    select ${sql.ref(sqlite ? 'rowid' : 'template_id')} as id, cast(terms as text) as terms from product_search`.execute(
    db
  )
  const key = sqlite ? sql`key` : sql`case when value is null then key else upper(left(key, 1)) || value end`
  const traits = await sql<{ entry: string }>`select template_id || ' ' || type || ' ' || ${key} as entry
    from product_trait join product_trait_type on product_trait_type.id = type_id`.execute(db)
  return {
    terms: rows.map(({ id, terms }) => `${id}: ${(terms.match(/[^ ']+/g) ?? []).sort()}`).sort(),
    traits: traits.rows.map(({ entry }) => entry).sort()
  }
}

/** Rows of a user who has logged in at the login page. */
async function useLoginPage(db: AnyDb) {
  const user = (await findUserByEmail(db, demo.email)) as StoredUser
  await insertSession(db, 'session', user, 'Firefox on Linux')
  await transact(db, transaction => addConsent(transaction, { clientId: 'app', userId: user.id }, ['read']))
  await insertCode(db, {
    hash: 'code',
    client_id: 'app',
    user_id: user.id,
    token_epoch: 0,
    redirect_uri: 'https://app.example/',
    challenge: 'x',
    scope: 'read',
    nonce: 'n',
    resource: '/mcp',
    time_authenticated: timestamp()
  })
}

/** A store that was in use: demo data, awkward templates, keys, a login that can be refreshed, a revoked token. */
async function used(t: Test, url: string) {
  const service = await serve(t, ['--demo'], { DATABASE_URL: url, ...env })
  const words = ['client', 'add', 'app', '--grant', 'password', '--grant', 'refresh_token']
  const secret = (await run(t, words, { DATABASE_URL: url })).stdout.trim()
  const app = { authorization: basic('app', secret) }
  const login = (await (await tokenRequest(service.url, demoUser, app)).json()) as Record<string, string>
  const revoked = await accessToken(service.url, demoUser, demoClient)
  const body = new URLSearchParams({ token: revoked })
  await fetch(`${service.url}/oauth/revoke`, { method: 'POST', headers: demoClient, body })
  const db = await openDatabase(url)
  await addTemplates(
    db,
    {
      id: 2_147_483_647,
      name: '‮ \u{1F9FF}é é\t"\\',
      data: '{ "a" : 1.0,\n"a":1e400, "é":"é", "z":"\u2028" }'
    },
    { id: 7_000_001, blockchainId: -2_147_483_648, maxItems: 2_147_483_647, publicProduct: false },
    { id: 7_000_000, timeModified: '2026-01-02T03:04:05.000001Z', data: '[0]' }
  )
  await db.updateTable('product_template').set({ data: '[1]' }).where('id', '=', 7_000_000).execute()
  await db.deleteFrom('product_template').where('id', '=', 7_000_001).execute()
  await useLoginPage(db)
  await ensureIndexed(db)
  await completeRevisions(db, new AbortController().signal)
  await db.destroy()
  service.child.kill('SIGTERM')
  await service.ended
  return { app, login, revoked }
}

const copy = (t: Test, from: string, to: string) => run(t, ['copy', '--from', from, '--to', to])

t.test('a copy there and back keeps every row, the bytes of every response, and the logins', async t => {
  const first = await sqliteUrl(t)
  const { app, login, revoked } = await used(t, first)
  const middle = await postgresUrl(t)
  const last = await sqliteUrl(t)
  const there = await copy(t, first, middle)
  t.equal(there.code, 0)
  t.match(there.stderr, /Copied \d+ rows\.\n$/)
  t.equal((await copy(t, middle, last)).code, 0)
  t.same(await rows(middle), await rows(first))
  t.same(await rows(last), await rows(first))

  const fields = 'id blockchainId maxItems name publicProduct componentName timeCreated timeModified data'
  const bytes = await Promise.all(
    [first, middle, last].map(async url => {
      const service = await serve(t, [], { DATABASE_URL: url, ...env })
      const token = login.access_token as string
      t.equal((await query(service.url, revoked, '{ __typename }')).status, 401)
      const answer = await graphqlRequest(service.url, token, {
        query: `{ allProducts { ${fields} } }`,
        variables: {}
      })
      return { url: service.url, bytes: Buffer.from(await answer.arrayBuffer()) }
    })
  )
  t.ok((bytes[0]?.bytes.length ?? 0) > 10_000)
  for (const other of bytes.slice(1)) t.equal(Buffer.compare(bytes[0]?.bytes as Buffer, other.bytes), 0)
  const refreshed = { grant_type: 'refresh_token', username: undefined, password: undefined }
  const form = { ...refreshed, refresh_token: login.refresh_token as string }
  for (const { url } of bytes) t.equal((await tokenRequest(url, form, app)).status, 200)
})

t.test('a target that is not empty is refused and left unchanged', async t => {
  const [from, to] = [await sqliteUrl(t), await postgresUrl(t)]
  await run(t, ['seed', '--demo'], { DATABASE_URL: from })
  await run(t, ['client', 'add', 'app'], { DATABASE_URL: to })
  await run(t, ['migrate'], { DATABASE_URL: to })
  const db = await openDatabase(to)
  await db
    .insertInto('product_revoked_token')
    .values({ jti: 'x', time_expires: '2030-01-01T00:00:00.000000Z' })
    .execute()
  await db.destroy()
  const before = await rows(to)
  const { code, stderr } = await copy(t, from, to)
  t.equal(code, 1)
  t.match(
    stderr,
    /^product-templates: the target database is not empty \(product_\w+\); nothing was changed\n$/
  )
  t.same(await rows(to), before)
})

/** The tables of features that are not copied, which may have rows from the beginning. */
const local = features.flatMap(({ tables = {} }) =>
  Object.entries(tables).flatMap(([name, { isLocal }]) => (isLocal ? [name] : []))
)
const isEmpty = (tables: Record<string, unknown[]>) =>
  Object.entries(tables).every(([name, found]) => local.includes(name) || found.length === 0)

t.test('a killed copy leaves nothing, in either direction', async t => {
  const full = await sqliteUrl(t)
  await run(t, ['seed', '--load', '5000'], { DATABASE_URL: full })
  const empty = async (url: string) => isEmpty(await rows(url))
  const kill = async (from: string, to: string) => {
    const copying = start(t, ['copy', '--from', from, '--to', to])
    await copying.line('stderr', /\(50 %\)/)
    copying.child.kill('SIGKILL')
    await copying.ended
    t.ok(await empty(to), 'nothing of it')
  }
  const there = await postgresUrl(t)
  await kill(full, there)
  t.equal((await copy(t, full, there)).code, 0, 'and it can be done again')
  await kill(there, await sqliteUrl(t))
})

t.test('documents and revisions of a megabyte are copied in bounded memory', async t => {
  const first = await sqliteUrl(t)
  await run(t, ['migrate'], { DATABASE_URL: first })
  const file = new Sqlite(first.slice('sqlite:'.length))
  const [documents, padding] = [120, 2 ** 20]
  file.exec(`insert into product_template (id, blockchain_id, max_items, name, public_product, component_name,
      time_created, time_modified, data)
    with recursive number (id) as (select 1 union all select id + 1 from number where id < ${documents})
    select id, 1, 1, 'long ' || id, 1, 'A', '2026-01-02T03:04:05.678901Z', '2026-01-02T03:04:05.678901Z',
      json_object('image', printf('%.*c', ${padding}, 'x')) from number;
    update product_template set data = json_set(data, '$.external_url', 'https://example.com/' || id)`)
  file.close()
  const measured = sql<{ rows: number; bytes: number }>`select cast(count(*) as integer) as rows,
    cast(sum(octet_length(data)) as integer) as bytes
    from (select data from product_template union all select data from product_template_past) as documents`
  const measure = async (url: string) => {
    const db = await openDatabase(url)
    const { rows } = await measured.execute(db)
    await db.destroy()
    return rows[0]
  }
  const expected = await measure(first)
  t.ok((expected?.bytes ?? 0) > 2 * documents * padding)
  const middle = await postgresUrl(t)
  const last = await sqliteUrl(t)
  for (const [from, to] of [
    [first, middle],
    [middle, last]
  ] as const) {
    const words = ['copy', '--from', from, '--to', to]
    const { code, stderr } = await run(t, words, { NODE_OPTIONS: '--max-old-space-size=100' })
    t.equal(code, 0, stderr)
    t.same(await measure(to), expected)
  }
})

t.test('long documents are copied in several statements', async t => {
  const from = await openDatabase(await sqliteUrl(t))
  const to = await openDatabase(await postgresUrl(t))
  t.teardown(() => Promise.all([from.destroy(), to.destroy()]))
  const data = JSON.stringify('x'.repeat(10 * 2 ** 20))
  await addTemplates(from, { data }, { data }, { data })
  const seen: number[] = []
  const copied = await copyDatabase(from, to, tables, done => seen.push(done))
  t.same(seen.slice(-3), [copied - 2, copied - 1, copied])
})

t.test('data that an engine cannot store is reported, and nothing is copied', async t => {
  const [from, to] = [await sqliteUrl(t), await postgresUrl(t)]
  await run(t, ['seed', '--demo'], { DATABASE_URL: from })
  const file = new Sqlite(from.slice('sqlite:'.length))
  file
    .prepare('update product_template set name = ? where id = (select max(id) from product_template)')
    .run('a\0b')
  file.close()
  const { code, stderr } = await copy(t, from, to)
  t.equal(code, 1)
  t.match(stderr, /the character U\+0000, which PostgreSQL cannot store; nothing was changed\n$/)
  t.ok(isEmpty(await rows(to)))
})

t.test('wrong words are exit code 2', async t => {
  const url = await sqliteUrl(t)
  const wrong: [words: string[], text: RegExp][] = [
    [[], /are the same database/],
    [['--from', url, '--to', url], /are the same database/],
    [['--from', url, '--to', 'mysql://root:s3cr3t@x/y'], /the target database must be `sqlite:/],
    [['--from', 'mysql://root:s3cr3t@x/y'], /the source database must be `sqlite:/],
    [['--from', url, '--to', await sqliteUrl(t)], /the file does not exist/],
    [[url, await sqliteUrl(t)], /the file does not exist/],
    [[url], /give both databases, or one with --from or --to/],
    [[url, url, '--from', url], /give two arguments, or --from and --to, not both/]
  ]
  for (const [words, text] of wrong) {
    const { code, stderr } = await run(t, ['copy', ...words])
    t.equal(code, 2)
    t.match(stderr, text)
    t.notMatch(stderr, /s3cr3t/)
  }
})
