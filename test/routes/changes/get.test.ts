/** `GET /changes`: the feed as Server-Sent Events. */
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { type Test, t } from 'tap'
import type { Db } from '../../../db/schema.ts'
import type { ServiceOptions } from '../../../index.ts'
import { clients } from '../../../store.ts'
import { onlyOn } from '../../support/database/only-on.ts'
import { changesRequest, openStream } from '../../support/http/event-stream.ts'
import { accessToken, basic, query } from '../../support/http/http.ts'
import { addClient, addTemplates, client, service } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

async function start(t: Test, options: ServiceOptions & { prefix?: string } = {}) {
  const { app, db, url } = await service(t, options)
  return { app, db, url, token: await accessToken(url) }
}

/** Milliseconds between two writes. */
const writePause = 10

const rename = (db: Db, id: number, name: string) =>
  db.updateTable('product_template').set({ name }).where('id', '=', id).execute()

t.test('a change comes as an event', async t => {
  const { db, url, token } = await start(t, { prefix: '/shop' })
  await addTemplates(db, { id: 1, data: 'old' })
  const stream = await openStream(url, token)
  const { headers } = stream.response
  t.match(headers.get('content-type'), /^text\/event-stream; charset=utf-8$/)
  t.equal(headers.get('cache-control'), 'no-store')
  t.equal(headers.get('x-accel-buffering'), 'no')
  t.equal(headers.get('x-content-type-options'), 'nosniff')
  const begin = await stream.next()
  t.match(begin, { retry: '1000', id: String })
  await db.updateTable('product_template').set({ data: 'new' }).execute()
  await db.deleteFrom('product_template').execute()
  await addTemplates(db, { id: 1, data: 'newer' })
  const events = await stream.events(3)
  const sha256 = (text: string) => `sha256:${hash('sha256', text)}`
  t.match(events, [
    { event: 'update', data: { id: 1, revision: 2, hash: sha256('new') } },
    { event: 'delete', data: { id: 1, revision: 3, hash: null } },
    { event: 'insert', data: { id: 1, revision: 4, hash: sha256('newer') } }
  ])
  t.same(Object.keys(events[0]?.data ?? {}), ['id', 'revision', 'hash', 'time'])
  t.match(events[0]?.data?.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  // The ids are the cursors of GraphQL.
  const text = `{ changes(after: "${begin?.id}") { edges { cursor } latestCursor } }`
  const { body } = await query(url, token, text)
  t.same(
    body.data.changes.edges.map(({ cursor }: { cursor: string }) => cursor),
    events.map(({ id }) => id)
  )
  t.equal(body.data.changes.latestCursor, events.at(-1)?.id)
  await stream.close()
})

t.test('a change whose history was deleted is left out', async t => {
  const { db, url, token } = await start(t)
  await addTemplates(db, ...[1, 2, 3, 4].map(id => ({ id })))
  const stream = await openStream(url, token)
  await stream.next()
  await db.transaction().execute(async transaction => {
    await transaction.updateTable('product_template').set({ name: 'new' }).execute()
    // As another process publishes them.
    for (const id of [1, 2, 3, 4]) {
      const change = transaction.updateTable('product_revision').set({ position: 4 + id })
      await change.where('template_id', '=', id).where('number', '=', 2).execute()
    }
    await transaction.deleteFrom('product_revision').where('position', 'in', [6, 7]).execute()
  })
  t.match(await stream.events(2), [{ data: { id: 1 } }, { data: { id: 4 } }])
  await rename(db, 2, 'newer')
  t.match(await stream.events(1), [{ data: { id: 2 } }])
  await stream.close()
})

t.test('a stream resumes after a cursor, from the start or from now', async t => {
  const { db, url, token } = await start(t)
  await addTemplates(db, ...Array.from({ length: 250 }, (_, id) => ({ id })))
  const read = async (request: { after?: string; lastEventId?: string }, count: number) => {
    const stream = await openStream(url, token, request)
    const events = await stream.events(count)
    await stream.close()
    return events.map(({ id = '', data }) => ({ id, template: data?.id }))
  }
  const all = await read({ after: 'start' }, 250)
  t.same(
    all.map(({ template }) => template),
    Array.from({ length: 250 }, (_, id) => id)
  )
  t.same(await read({ lastEventId: all[99]?.id ?? '' }, 150), all.slice(100))
  t.same(await read({ after: all[247]?.id ?? '' }, 2), all.slice(248))
  t.same(
    await read({ after: 'start', lastEventId: all[247]?.id ?? '' }, 2),
    all.slice(248),
    'the header counts'
  )

  const now = await openStream(url, token)
  const { id } = (await now.next()) ?? {}
  t.equal(id, all.at(-1)?.id)
  await now.close()
  // What happens between two connections is not lost.
  await rename(db, 7, 'new')
  t.match(await read({ lastEventId: id ?? '' }, 1), [{ template: 7 }])
})

t.test('all streams of an instance get each change once', async t => {
  const { db, url, token } = await start(t)
  await addTemplates(db, { id: 1 }, { id: 2 })
  const streams = await Promise.all(
    ['start', undefined, undefined, 'start'].map(after => openStream(url, token, { after }))
  )
  for (const stream of streams) await stream.next()
  for (let turn = 0; turn < 20; turn++) await rename(db, 1 + (turn % 2), `${turn}`)
  for (const [index, stream] of streams.entries()) {
    const old = index % 3 === 0 ? 2 : 0
    const events = await stream.events(old + 20)
    t.equal(new Set(events.map(({ id }) => id)).size, old + 20)
    t.same(
      events.slice(old).map(({ data }) => [data?.id, data?.revision]),
      Array.from({ length: 20 }, (_, turn) => [1 + (turn % 2), 2 + Math.floor(turn / 2)])
    )
    await stream.close()
  }
})

onlyOn('sqlite', 'a wrong request is refused', async t => {
  const { db, url, token } = await start(t)
  await addTemplates(db, { id: 1 })
  const refusal = async (request: Promise<Response>) => {
    const response = await request
    return [response.status, (await response.json()) as { code: string; message: string }] as const
  }
  for (const [after, lastEventId] of [['x'], [''], ['0'], [undefined, 'x'], ['start', 'x']] as [
    string,
    string
  ][])
    t.match(await refusal(changesRequest(url, token, after, lastEventId)), [
      400,
      { code: 'bad_request', message: 'after and Last-Event-ID must be a cursor or `start`' }
    ])
  const ahead = Buffer.from('changes:1:2').toString('base64url')
  t.match(await refusal(changesRequest(url, token, ahead)), [
    400,
    { message: 'the cursor is after the last change: it belongs to another database' }
  ])
  t.match(await refusal(changesRequest(url, token, 'start&after=start')), [400, { code: 'bad_request' }])
  t.match(await refusal(changesRequest(url, 'no')), [401, { code: 'invalid_token' }])
  for (const method of ['POST', 'PUT', 'OPTIONS']) {
    const response = await changesRequest(url, token, undefined, undefined, method)
    t.equal(response.status, 405)
    t.equal(response.headers.get('allow'), 'GET')
  }
  t.equal((await changesRequest(url, token, undefined, undefined, 'HEAD')).status, 405)
  await addClient(db, { id: 'writer', scopes: ['write'] })
  const writer = await accessToken(url, {}, { authorization: basic('writer') })
  t.match(await refusal(changesRequest(url, writer)), [403, { code: 'insufficient_scope' }])
})

onlyOn('sqlite', 'open streams are limited, in all and for each token', async t => {
  const { url, token } = await start(t, { changesMaxStreams: 3, changesStreamsPerToken: 2 })
  const streams = [await openStream(url, token), await openStream(url, token)]
  const refused = await changesRequest(url, token)
  t.equal(refused.status, 429)
  t.match(refused.headers.get('retry-after'), /^\d+$/)
  const other = await accessToken(url)
  streams.push(await openStream(url, other))
  const full = await changesRequest(url, other)
  t.equal(full.status, 503)
  t.match(full.headers.get('retry-after'), /^\d+$/)
  await streams[0]?.close()
  await until(async () => (await changesRequest(url, other)).status === 200)
  t.equal((await changesRequest(url, token)).status, 503)
})

onlyOn('sqlite', 'a refused request takes no place', async t => {
  const { url, token } = await start(t, { changesMaxStreams: 1 })
  for (let turn = 0; turn < 3; turn++) {
    const { status } = await changesRequest(url, token, 'x')
    t.equal(status, 400)
  }
  await (await openStream(url, token)).close()
})

t.test('heartbeats, and the end of an expired token', async t => {
  // Seconds: enough for a busy machine to open the stream, and for a heartbeat.
  const { url, token } = await start(t, { changesHeartbeat: 1, accessTokenTtl: 10 })
  const stream = await openStream(url, token)
  const comments = (await stream.rest()).map(({ comment }) => comment)
  t.match(comments, [undefined, 'heartbeat'])
  t.equal(comments.at(-1), 'the access token is not valid any more')
  t.equal((await changesRequest(url, token)).status, 401)
})

t.test('a revoked token ends its streams at once, also while events come', async t => {
  const { db, url, token } = await start(t, { changesHeartbeat: 300 })
  await addTemplates(db, { id: 1 })
  const other = await accessToken(url)
  const streams = [await openStream(url, token), await openStream(url, token)]
  const kept = await openStream(url, other)
  await fetch(`${url}/oauth/revoke`, {
    method: 'POST',
    headers: { authorization: basic() },
    body: new URLSearchParams({ token })
  })
  let ended = false
  const writing = (async () => {
    for (let turn = 0; !ended; turn++) {
      await rename(db, 1, `${turn}`)
      await setTimeout(writePause)
    }
  })()
  for (const stream of streams) {
    const rest = await stream.rest()
    t.equal(rest.at(-1)?.comment, 'the access token is not valid any more')
  }
  ended = true
  await writing
  t.ok(await kept.events(1))
  await clients.disable(db, client.id)
  t.equal((await kept.rest()).at(-1)?.comment, 'the access token is not valid any more')
})

t.test('shutting down ends the streams at once', async t => {
  const { app, db, url, token } = await start(t)
  await addTemplates(db, { id: 1 })
  const streams = await Promise.all(['start', undefined].map(after => openStream(url, token, { after })))
  await streams[0]?.events(1)
  const closing = app.close()
  for (const stream of streams) t.equal((await stream.rest()).at(-1)?.comment, 'the service is shutting down')
  await closing
})

onlyOn('sqlite', 'a client that does not read is cut, while others are served', async t => {
  const { app, db, url, token } = await start(t, { graphqlStallTimeout: 5 })
  // More than the buffers of the system take.
  const count = 8000
  const row = {
    number: 1,
    action: 'CREATE' as const,
    hash: 'a'.repeat(2000),
    time_recorded: '2026-01-02T03:04:05.678901Z'
  }
  for (let id = 0; id < count; id += 2000) {
    const rows = Array.from({ length: 2000 }, (_, index) => ({ ...row, template_id: id + index }))
    await db.insertInto('product_revision').values(rows).execute()
  }
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const [served] = (await once(app.server, 'connection')) as [Socket]
  socket.write(`GET /changes?after=start HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await new Promise(resolve => socket.once('readable', resolve))
  // It reads nothing more: the server fills the buffers of the system, and then closes the connection.
  const reader = await openStream(url, token, { after: 'start' })
  t.equal((await reader.events(count)).length, count, 'others are served meanwhile')
  await reader.close()
  await until(() => served.destroyed)
  let bytes = 0
  socket.on('data', chunk => {
    bytes += chunk.length
  })
  socket.on('error', () => {})
  await new Promise(resolve => socket.once('close', resolve))
  t.ok(bytes < count * 2000, `${bytes} bytes`)
})
