// Runs on SQLite only.
/** Requests that have to be executed wait until they may start. */

import { setImmediate } from 'node:timers/promises'
import { type Test, t } from 'tap'
import { overloaded, tooManyRequests } from '../../../errors.ts'
import type { Place } from '../../../graphql/execution/operation.ts'
import { OperationQueue } from '../../../routes/graphql/operation-queue.ts'
import { accessToken } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'

const { signal } = new AbortController()
const refused = tooManyRequests('waiting operations of the token', 1, 'operations_limit')
const megabyte = 2 ** 20

t.test('a token has a bounded number of waiting operations, and others are not affected', async t => {
  const queue = new OperationQueue(1, 0)
  const first = await queue.enter('one', 100, signal)
  const waiting = Array.from({ length: 1000 }, () => queue.enter('one', 100, signal))
  await t.rejects(queue.enter('one', 100, signal), refused)
  const other = await queue.enter('other', 100, signal)
  other.leave(1)
  first.leave(1)
  const next = await waiting.shift()
  // Now one fewer waits.
  const last = queue.enter('one', 100, signal)
  await t.rejects(queue.enter('one', 100, signal), refused)
  next?.leave(1)
  for (const next of waiting) (await next).leave(1)
  t.ok(await last)
})

t.test('the waiting requests of a token have a bounded size', async t => {
  const queue = new OperationQueue(1, 0)
  const first = await queue.enter('one', 0, signal)
  const gone = new AbortController()
  const large = queue.enter('one', 100 * megabyte, gone.signal)
  await t.rejects(queue.enter('one', megabyte, signal), refused)
  const reason = new Error('gone')
  gone.abort(reason)
  await t.rejects(large, reason)
  await t.rejects(queue.enter('one', megabyte, gone.signal), reason)
  const waiting = Array.from({ length: 64 }, () => queue.enter('one', megabyte, signal))
  await t.rejects(queue.enter('one', megabyte, signal), refused)
  first.leave(1)
  for (const next of waiting) (await next).leave(1)
  t.ok(await queue.enter('one', megabyte, signal))
})

t.test('the waiting requests of all tokens have a bounded size', async t => {
  const queue = new OperationQueue(1, 0)
  const tokens = ['one', 'two', 'three', 'four', 'five']
  const first = await Promise.all(tokens.map(token => queue.enter(token, 0, signal)))
  const waiting = tokens.slice(0, 4).map(token => queue.enter(token, 64 * megabyte, signal))
  await t.rejects(queue.enter('five', megabyte, signal), overloaded('too many operations wait'))
  for (const place of first) place.leave(1)
  for (const next of waiting) (await next).leave(1)
  t.ok(await queue.enter('five', megabyte, signal))
})

t.test('a token that has spent its cost is refused, and others are not', async t => {
  const queue = new OperationQueue(1, 1)
  const first = await queue.enter('one', 0, signal)
  first.leave(1000)
  t.match(await queue.enter('one', 0, signal).catch(error => error), { statusCode: 429 })
  t.ok(await queue.enter('other', 0, signal))
})

t.test('an operation that waits is refused if those before it spend the cost of its token', async t => {
  const queue = new OperationQueue(1, 1)
  const first = await queue.enter('one', 0, signal)
  const waiting = Array.from({ length: 3 }, () => queue.enter('one', 0, signal).catch(error => error))
  const other = queue.enter('other', 0, signal)
  first.leave(1000)
  for (const outcome of await Promise.all(waiting)) t.match(outcome, { statusCode: 429 })
  t.ok(await other)
  t.same(queue.readFigures(), { graphql_operations_running: 1, graphql_operations_waiting: 0 })
})

t.test('three operations of a token read for long at the same time, and others are not affected', async t => {
  const queue = new OperationQueue(100, 0)
  const places = await Promise.all(Array.from({ length: 5 }, () => queue.enter('one', 0, signal)))
  const [first, second, third, fourth, last] = places as [Place, Place, Place, Place, Place]
  for (const place of [first, second, third]) await place.enterLong(signal)
  const gone = new AbortController()
  const abandoned = fourth.enterLong(gone.signal)
  let hasStarted = false
  const waiting = last.enterLong(signal).then(() => {
    hasStarted = true
  })
  await (await queue.enter('other', 0, signal)).enterLong(signal)
  t.notOk(hasStarted)
  const reason = new Error('gone')
  gone.abort(reason)
  await t.rejects(abandoned, reason)
  fourth.leave(1)
  await setImmediate()
  t.notOk(hasStarted)
  first.leave(1)
  await waiting
})

/** A queue, and a log of which tokens started in each turn of the event loop. */
function logged() {
  const queue = new OperationQueue(100, 0)
  const started: string[][] = [[]]
  return {
    arrive: (token: string) => void queue.enter(token, 0, signal).then(() => started.at(-1)?.push(token)),
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
  for (let count = 0; count < 10; count++) arrive('a')
  t.same(await run(10), [Array(4).fill('a'), Array(4).fill('a'), ['a', 'a']])
})

t.test('tokens alternate', async t => {
  const { arrive, run } = logged()
  for (let count = 0; count < 4; count++) arrive('many')
  arrive('one')
  t.same((await run(10)).flat(), ['many', 'one', 'many', 'many', 'many'])
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
  const kept = '{ allProducts { id } }'
  // Known tokens, and a kept response.
  for (const token of [...tokens, ...tokens]) await send('before', token, kept)
  order.length = 0
  const many = Array.from({ length: 60 }, (_, n) =>
    send('many', tokens[0], `query Q${n} { allProducts { id name } }`)
  )
  return { order, send, tokens, kept, many }
}

t.test('a kept response overtakes queries that arrived before it', async t => {
  const { order, send, tokens, kept, many } = await answered(t)
  await Promise.all([...many, send('kept', tokens[0], kept)])
  t.ok(order.indexOf('kept') < 20, `after ${order.indexOf('kept')} of 60`)
})

t.test('a client with many queries does not hold up another one', async t => {
  const { order, send, tokens, many } = await answered(t)
  await Promise.all([...many, send('one', tokens[1], '{ allProducts { name } }')])
  t.ok(order.indexOf('one') < 20, `after ${order.indexOf('one')} of 60`)
})

t.test('an operation that ends while it waits to read for long keeps no place', async t => {
  const queue = new OperationQueue(10, 0)
  const { signal } = new AbortController()
  const enter = () => queue.enter('token', 1, signal)
  const long = await Promise.all([enter(), enter(), enter()])
  for (const place of long) await place.enterLong(signal)
  const ended = await enter()
  const entering = ended.enterLong(signal)
  ended.leave(0)
  for (const place of long) place.leave(0)
  await entering
  const next = await Promise.all([enter(), enter(), enter()])
  let entered = 0
  for (const place of next) void place.enterLong(signal).then(() => entered++)
  await setImmediate()
  t.equal(entered, 3)
})

t.test('an operation that is executed twice has one place to read for long', async t => {
  const queue = new OperationQueue(10, 0)
  const enter = () => queue.enter('token', 1, signal)
  const twice = await enter()
  await twice.enterLong(signal)
  await twice.enterLong(signal)
  twice.leave(0)
  const next = await Promise.all([enter(), enter(), enter()])
  let entered = 0
  for (const place of next) void place.enterLong(signal).then(() => entered++)
  await setImmediate()
  t.equal(entered, 3)
})
