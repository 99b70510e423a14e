// Runs on SQLite only.
/** Requests that have to be executed wait until they may start. */

import { setImmediate } from 'node:timers/promises'
import { type Test, t } from 'tap'
import { OperationQueue } from '../../../routes/graphql/operation-queue.ts'
import { overloaded, tooManyForToken } from '../../../runtime/errors.ts'
import { accessToken } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'

const { signal } = new AbortController()
const refused = tooManyForToken('too many operations of this token are waiting', 1, 'operations_limit')
const megabyte = 2 ** 20

const takeSlot = async (queue: OperationQueue, token: string, size: number, signal: AbortSignal) =>
  queue.takeSlot(token, size, () => signal)

t.test('a token has a bounded number of waiting operations, and others are not affected', async t => {
  const queue = new OperationQueue(1, 0)
  const first = await takeSlot(queue, 'one', 100, signal)
  const waiting = Array.from({ length: 1000 }, () => takeSlot(queue, 'one', 100, signal))
  await t.rejects(takeSlot(queue, 'one', 100, signal), refused)
  const other = await takeSlot(queue, 'other', 100, signal)
  other.release(1)
  first.release(1)
  const next = await waiting.shift()
  // Now one fewer waits.
  const last = takeSlot(queue, 'one', 100, signal)
  await t.rejects(takeSlot(queue, 'one', 100, signal), refused)
  next?.release(1)
  for (const next of waiting) (await next).release(1)
  t.ok(await last)
})

t.test('in the next turn, four operations more start at once', async t => {
  const queue = new OperationQueue(20, 0)
  const start = () => queue.takeSlot('one', 0, () => signal)
  for (let turn = 0; turn < 3; turn++) {
    for (let count = 0; count < 4; count++) t.notOk(start() instanceof Promise)
    await setImmediate()
  }
})

t.test('the waiting requests of a token have a bounded size', async t => {
  const queue = new OperationQueue(1, 0)
  const first = await takeSlot(queue, 'one', 0, signal)
  const gone = new AbortController()
  const large = takeSlot(queue, 'one', 100 * megabyte, gone.signal)
  await t.rejects(takeSlot(queue, 'one', megabyte, signal), refused)
  const reason = new Error('gone')
  gone.abort(reason)
  await t.rejects(large, reason)
  await t.rejects(takeSlot(queue, 'one', megabyte, gone.signal), reason)
  const waiting = Array.from({ length: 64 }, () => takeSlot(queue, 'one', megabyte, signal))
  await t.rejects(takeSlot(queue, 'one', megabyte, signal), refused)
  first.release(1)
  for (const next of waiting) (await next).release(1)
  t.ok(await takeSlot(queue, 'one', megabyte, signal))
})

t.test('the waiting requests of all tokens have a bounded size', async t => {
  const queue = new OperationQueue(1, 0)
  const tokens = ['one', 'two', 'three', 'four', 'five']
  const first = await Promise.all(tokens.map(token => takeSlot(queue, token, 0, signal)))
  const waiting = tokens.slice(0, 4).map(token => takeSlot(queue, token, 64 * megabyte, signal))
  await t.rejects(takeSlot(queue, 'five', megabyte, signal), overloaded('too many operations wait'))
  for (const slot of first) slot.release(1)
  for (const next of waiting) (await next).release(1)
  t.ok(await takeSlot(queue, 'five', megabyte, signal))
})

t.test('a token that has spent its cost is refused, and others are not', async t => {
  const queue = new OperationQueue(1, 1)
  const first = await takeSlot(queue, 'one', 0, signal)
  first.release(1000)
  t.match(await takeSlot(queue, 'one', 0, signal).catch(error => error), { statusCode: 429 })
  t.ok(await takeSlot(queue, 'other', 0, signal))
})

t.test('the time of a long operation does not pay for it in advance', async t => {
  let now = 0
  t.intercept(performance, 'now', { value: () => now })
  const queue = new OperationQueue(2, 1)
  const first = await takeSlot(queue, 'one', 0, signal)
  now = 30_000
  first.release(20)
  t.match(await takeSlot(queue, 'one', 0, signal).catch(error => error), { statusCode: 429 })
  now = 40_000
  t.ok(await takeSlot(queue, 'one', 0, signal))
})

t.test('an operation that waits is refused if those before it spend the cost of its token', async t => {
  const queue = new OperationQueue(1, 1)
  const first = await takeSlot(queue, 'one', 0, signal)
  const waiting = Array.from({ length: 3 }, () => takeSlot(queue, 'one', 0, signal).catch(error => error))
  const other = takeSlot(queue, 'other', 0, signal)
  first.release(1000)
  for (const outcome of await Promise.all(waiting)) t.match(outcome, { statusCode: 429 })
  t.ok(await other)
  t.same(queue.readMetricValues(), { graphql_operations_running: 1, graphql_operations_waiting: 0 })
})

/** A queue, and a log of which tokens started in each turn of the event loop. */
function logged() {
  const queue = new OperationQueue(100, 0)
  const started: string[][] = [[]]
  return {
    arrive: (token: string) => void takeSlot(queue, token, 0, signal).then(() => started.at(-1)?.push(token)),
    async run(count: number) {
      while (count-- > 0) {
        await setImmediate()
        started.push([])
      }
      return started.filter(names => names.length > 0)
    }
  }
}

t.test('four operations start together', async t => {
  const { arrive, run } = logged()
  const turns = run(10)
  for (let count = 0; count < 10; count++) arrive('a')
  t.same(await turns, [Array(4).fill('a'), Array(4).fill('a'), ['a', 'a']])
})

t.test('tokens alternate', async t => {
  const { arrive, run } = logged()
  const turns = run(10)
  for (let count = 0; count < 8; count++) arrive('many')
  arrive('one')
  // Four start at once. Then the tokens that wait take turns.
  const [first, second] = await turns
  t.same(first, Array(4).fill('many'))
  t.same(second, ['many', 'one', 'many', 'many'])
})

/** Sends queries that arrive at once; returns their names in the order of the answers. */
async function answered(t: Test) {
  const { app, db, url } = await service(t)
  await addTemplates(db, {})
  const order: string[] = []
  const send = async (name: string, token: string, query: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const { statusCode } = await app.inject({ method: 'POST', url: '/graphql', headers, payload: { query } })
    t.equal(statusCode, 200)
    order.push(name)
  }
  const tokens = [await accessToken(url), await accessToken(url)] as const
  const cached = '{ allProducts { id } }'
  // Known tokens, and a cached response.
  for (const token of [...tokens, ...tokens]) await send('before', token, cached)
  order.length = 0
  const many = Array.from({ length: 60 }, (_, n) =>
    send('many', tokens[0], `query Q${n} { allProducts { id name } }`)
  )
  return { order, send, tokens, cached, many }
}

t.test('a cached response overtakes queries that arrived before it', async t => {
  const { order, send, tokens, cached, many } = await answered(t)
  await Promise.all([...many, send('cached', tokens[0], cached)])
  t.ok(order.indexOf('cached') < 20, `after ${order.indexOf('cached')} of 60`)
})

t.test('a client with many queries does not hold up another one', async t => {
  const { order, send, tokens, many } = await answered(t)
  await Promise.all([...many, send('one', tokens[1], '{ allProducts { name } }')])
  t.ok(order.indexOf('one') < 20, `after ${order.indexOf('one')} of 60`)
})
