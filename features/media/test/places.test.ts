// Runs on SQLite only, in test:all only: pictures.test.ts stores pictures on both engines.
/** Neither a token nor a source takes the places that others need, and no failure hides a picture. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import type { ServiceOptions } from '../../../index.ts'
import { HeldClock } from '../../../test/routes/responses/held-clock.ts'
import { migratedUrl } from '../../../test/support/database/database.ts'
import { accessToken } from '../../../test/support/http/http.ts'
import { picture, source } from '../../../test/support/pictures.ts'
import { serve } from '../../../test/support/service/process.ts'
import { addClient, addUser, service } from '../../../test/support/service/service.ts'
import { until } from '../../../test/support/until.ts'
import { openDatabase } from '../../database.ts'
import { makeContentId } from '../ipfs.ts'
import { withMedia } from '../rows.ts'

/** Starts the service; returns what sends requests with a token, another one for each call. */
async function start(t: Test, options: ServiceOptions = {}) {
  const { app, url, db } = await service(t, { privateNetworks: '127.0.0.0/8', ...options })
  const logIn = async () => {
    const authorization = `Bearer ${await accessToken(url)}`
    const show = (link: string) =>
      fetch(`${url}/media?link=${encodeURIComponent(link)}`, { headers: { authorization } })
    const upload = async (body: Buffer) => {
      const headers = { authorization, 'content-type': 'image/png' }
      const response = await fetch(`${url}/media`, { method: 'POST', headers, body: body as BodyInit })
      return { status: response.status, ...((await response.json()) as { cid: string; hash: string }) }
    }
    return { authorization, show, upload }
  }
  return { app, url, db, logIn }
}

/** Bytes that look like a picture and are none. */
const junk = (size: number): Buffer => Buffer.concat([Buffer.from('\x89PNG', 'latin1'), randomBytes(size)])

t.test('a token with slow sources holds up neither its uploads nor another token', async t => {
  const slow: (() => void)[] = []
  const bytes = await picture(1, 20)
  const host = await source(t, (request, response) => {
    if (request.url?.startsWith('/slow')) slow.push(() => response.end(bytes))
    else response.end(bytes)
  })
  const { logIn } = await start(t, { imageSources: host })
  // On a busy machine, the two that wait for a place would be refused after five seconds.
  new HeldClock(t, 5000)
  const [one, other] = [await logIn(), await logIn()]
  const { cid } = await one.upload(await picture(2, 700))
  const waiting = Promise.all(Array.from({ length: 6 }, (_, at) => one.show(`http://${host}/slow${at}`)))
  await until(() => slow.length === 4)
  t.equal((await one.show(`ipfs://${cid}`)).status, 200)
  t.equal((await other.show(`http://${host}/quick`)).status, 200)
  t.equal(slow.length, 4, 'a token has half of the places')
  for (let at = 0; at < 6; at++) {
    await until(() => slow.length > at)
    slow[at]?.()
  }
  t.same(new Set((await waiting).map(({ status }) => status)), new Set([200]))
})

t.test('a token that sends its uploads slowly holds up nobody else', async t => {
  const { url, logIn } = await start(t)
  const [one, other] = [await logIn(), await logIn()]
  const { host, hostname, port } = new URL(url)
  const sockets = Array.from({ length: 5 }, () => connect(Number(port), hostname))
  t.teardown(() => sockets.forEach(socket => void socket.destroy()))
  const head = `POST /media HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${one.authorization}\r\n`
  for (const socket of sockets)
    socket.write(`${head}Content-Type: image/png\r\nContent-Length: 1000\r\n\r\n\x89PNG`)
  // The fifth one, whichever it is, gets no place in time.
  const refusal = Promise.race(sockets.map(async socket => String((await once(socket, 'data'))[0])))
  t.equal((await other.upload(junk(100))).status, 201)
  t.match(await refusal, /^HTTP\/1.1 503 (.+\r\n)+retry-after: 1\r/)
  for (const socket of sockets) socket.destroy()
  await until(async () => (await one.upload(junk(100))).status === 201)
})

t.test('an upload without a thumbnail is shown as it is', async t => {
  const { db, logIn } = await start(t)
  const { upload, show } = await logIn()
  const { cid, hash } = await upload(junk(100))
  for (let time = 0; time < 2; time++) t.match((await show(`ipfs://${cid}`)).url, new RegExp(`/${hash}$`))
  t.same(await withMedia(db).selectFrom('product_media').select('kind').execute(), [{ kind: 'original' }])
})

t.test('an uploaded picture is shown at once, although its source has failed', async t => {
  const host = await source(t, (_request, response) => response.writeHead(404).end())
  const { logIn } = await start(t, { imageSources: `http://${host}/ipfs` })
  const { upload, show } = await logIn()
  const bytes = await picture(4, 20)
  const cid = makeContentId(bytes)
  const missing = await show(`ipfs://${cid}`)
  t.match([missing.status, missing.headers.get('cache-control')], [204, 'no-store'])
  await upload(bytes)
  t.equal((await show(`ipfs://${cid}`)).status, 200)
})

t.test('a picture that cannot be stored is asked for again', async t => {
  const bytes = await picture(5, 20)
  const host = await source(t, (_request, response) => response.end(bytes))
  const { db, logIn } = await start(t, { imageSources: host })
  const { show } = await logIn()
  await sql`alter table product_media add column room integer default 1 check (room > 1)`.execute(db)
  t.equal((await show(`http://${host}/x`)).status, 500)
  await sql`alter table product_media drop column room`.execute(db)
  t.equal((await show(`http://${host}/x`)).status, 200)
})

t.test('a shutdown does not wait for sources', async t => {
  let asked = 0
  const host = await source(t, () => asked++)
  const link = `http://${host}/x`
  const { app, logIn } = await start(t, { imageSources: host })
  const shown = (await logIn()).show(link)
  await until(() => asked === 1)
  await app.close()
  t.match(await (await shown).json(), { code: 'unavailable' })

  const DATABASE_URL = await migratedUrl(t)
  const db = await openDatabase(DATABASE_URL)
  await addUser(db)
  await addClient(db)
  await db.destroy()
  const env = { DATABASE_URL, IMAGE_SOURCES: host, PRIVATE_NETWORKS: '127.0.0.0/8' }
  const { url, child, ended } = await serve(t, [], env)
  const headers = { authorization: `Bearer ${await accessToken(url)}` }
  const refused = fetch(`${url}/media?link=${link}`, { headers })
  await until(() => asked === 2)
  child.kill()
  t.equal((await refused).status, 503)
  t.equal((await ended).code, 0)
})
