// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
/** The clock is set back and forward while the service runs, by libfaketime from Debian. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { t } from 'tap'
import { openDatabase } from '../../features/database.ts'
import { directory } from '../support/database/database.ts'
import { accessToken, basic, query, tokenRequest } from '../support/http/http.ts'
import { locate, needs } from '../support/programs.ts'
import { migrated, run, serve } from '../support/service/process.ts'
import { addClient, addUser, client } from '../support/service/service.ts'

const hour = 3600
const create = `mutation ($name: String!) {
  createProduct(input: { blockchainId: 1, maxItems: 1, name: $name, data: "{}" }) { product { id timeModified } }
}`

t.test('a clock that is set back and forward', needs('libfaketime'), async t => {
  const env = await migrated(t)
  const db = await openDatabase(env.DATABASE_URL)
  t.teardown(() => db.destroy())
  await addUser(db)
  await addClient(db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  const clock = join(await directory(t), 'clock')
  const setClock = (seconds: number) => writeFileSync(clock, `${seconds < 0 ? '' : '+'}${seconds}s\n`)
  setClock(0)
  const faked = {
    ...env,
    LD_PRELOAD: locate('libfaketime'),
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    // Linux never sets this one.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    ACCESS_TOKEN_TTL: String(hour)
  }
  const { url, child, ended } = await serve(t, [], faked)
  const headers = { authorization: basic('app', client.secret) }
  const login = () => accessToken(url, { scope: 'read write' }, headers)
  const refreshable = (await (await tokenRequest(url, {}, headers)).json()) as { refresh_token: string }
  const written: string[] = []
  const write = async (name: string, token: string) => {
    const { status, body } = await query(url, token, create, { variables: { name } })
    if (status === 200) written.push(body.data.createProduct.product.timeModified)
    return status
  }
  const names = async (token: string) => {
    const { status, body } = await query(
      url,
      token,
      '{ products(orderBy: { field: ID, direction: ASC }) { nodes { name } } }'
    )
    return status === 200 ? body.data.products.nodes.map(({ name }: { name: string }) => name) : status
  }
  const token = await login()
  t.equal(await write('now', token), 200)

  setClock(-2 * hour)
  t.equal(await names(token), 401, 'a token of the future is refused, also one that was used before')
  const early = await login()
  t.same(await names(early), ['now'])
  t.equal(await write('early', early), 200)

  setClock(30 * 24 * hour)
  t.equal(await names(token), 401, 'a token of the past has expired')
  const late = await login()
  t.equal(await write('late', late), 200)

  setClock(0)
  for (const refused of [early, late]) t.equal(await names(refused), 401)
  t.same(await names(token), ['now', 'early', 'late'], 'nothing is lost')
  const form = { grant_type: 'refresh_token', username: undefined, password: undefined }
  const refreshed = await tokenRequest(url, { ...form, refresh_token: refreshable.refresh_token }, headers)
  t.equal(refreshed.status, 200, 'the login goes on')
  const hours = written.map(time => Math.round((Date.parse(time) - Date.now()) / (hour * 1000)))
  t.same(hours, [0, -2, 30 * 24], 'the times are those of the clock')

  const doctor = await run(t, ['doctor'], env)
  t.match(doctor, {
    code: 1,
    stdout: /warning {2}clock {7}the last write to the database is 25\d+ s in the future/
  })
  child.kill('SIGTERM')
  t.match(await ended, { code: 0, stderr: '' })
})
