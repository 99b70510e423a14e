// Runs on PostgreSQL only, in test:all only.
/** Many processes on one database. */
import { type Test, t } from 'tap'
import { migrations } from '../../features/database.ts'
import { demo } from '../../seeds/credentials.ts'
import { demoTemplates } from '../../seeds/seed.ts'
import { onServer, postgresUrl } from '../support/database/database.ts'
import { basic, query, tokenRequest } from '../support/http/http.ts'
import { run, serve } from '../support/service/process.ts'

const env = { PASSWORD_MEMORY: '7168', ISSUER: 'https://templates.example.com' }
const demoUser = { username: demo.email, password: demo.password }
const demoClient = { authorization: basic(demo.clientId, demo.clientSecret) }

interface Issued {
  access_token: string
  refresh_token: string
}

/** Five processes that start at the same moment on an empty database, and a client with every grant. */
async function five(t: Test) {
  const url = await postgresUrl(t)
  const all = await Promise.all(
    Array.from({ length: 5 }, () => serve(t, ['--demo'], { DATABASE_URL: url, ...env }))
  )
  const words = ['client', 'add', 'app', '--grant', 'password', '--grant', 'refresh_token']
  const added = await run(t, words, { DATABASE_URL: url })
  return { url, all, app: { authorization: basic('app', added.stdout.trim()) } }
}

t.test('five instances started at once on an empty database share all data', async t => {
  const { url, all, app } = await five(t)
  const [one, two, three] = all.map(({ url }) => url) as [string, string, string]
  const rows = async (table: string) => (await onServer(url, `select * from ${table}`)).rows
  t.same(
    (await rows('product_migration')).map(({ name }) => name),
    Object.keys(migrations)
  )
  t.equal((await rows('product_template')).length, demoTemplates.length)
  t.equal((await rows('product_signing_key')).length, 1)

  const login = async (at: string) => (await (await tokenRequest(at, demoUser, app)).json()) as Issued
  const refresh = (at: string, token: string) =>
    tokenRequest(
      at,
      { grant_type: 'refresh_token', username: undefined, password: undefined, refresh_token: token },
      app
    )
  const reads = async (at: string, token: string) => (await query(at, token, '{ __typename }')).status

  await t.test('a token of one instance is valid at all, and its revocation too', async t => {
    const { access_token: token } = await login(one)
    for (const { url } of all) t.equal(await reads(url, token), 200)
    await fetch(`${two}/oauth/revoke`, { method: 'POST', headers: app, body: new URLSearchParams({ token }) })
    for (const { url } of all) t.equal(await reads(url, token), 401)
  })

  await t.test('if a refresh token is sent to all instances at once, one request succeeds', async t => {
    const { refresh_token: token } = await login(one)
    const statuses = await Promise.all(all.map(async ({ url }) => (await refresh(url, token)).status))
    t.same(statuses.sort(), [200, 400, 400, 400, 400])
  })

  await t.test('a login can be refreshed anywhere', async t => {
    let { refresh_token: token } = await login(one)
    for (const { url } of all) token = ((await (await refresh(url, token)).json()) as Issued).refresh_token
    t.type(token, 'string')
  })

  await t.test('all instances sign with a new key and refuse a retired one at once', async t => {
    const { access_token: old } = await login(one)
    const [{ id: kid }] = (await rows('product_signing_key')) as [{ id: string }]
    t.equal((await run(t, ['keys', 'rotate', '--now'], { DATABASE_URL: url })).code, 0)
    const { access_token: fresh } = await login(three)
    for (const { url } of all) t.equal(await reads(url, fresh), 200)
    t.equal((await run(t, ['keys', 'retire', kid], { DATABASE_URL: url })).code, 0)
    for (const { url } of all) t.equal(await reads(url, old), 401)
  })

  await t.test('failed logins across the instances lock the account on all of them', async t => {
    const wrong = (at: string) =>
      tokenRequest(at, { username: 'plain@example.com', password: 's3cr3t no' }, demoClient)
    for (let turn = 0; turn < 10; turn++) t.equal((await wrong(all[turn % 5]?.url as string)).status, 400)
    for (const { url } of all) t.equal((await wrong(url)).status, 429)
  })

  await t.test('a disabled user is out everywhere', async t => {
    const { access_token: token } = await login(one)
    await run(t, ['user', 'disable', demo.email], { DATABASE_URL: url })
    for (const { url } of all) t.equal(await reads(url, token), 401)
  })
})
