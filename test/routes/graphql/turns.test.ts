/** Requests that have to be executed take turns. */

import { setImmediate } from 'node:timers/promises'
import { type Test, t } from 'tap'
import type { Versions } from '../../../db/versions.ts'
import type { ResponseCache } from '../../../routes/graphql/response-cache.ts'
import { Turns } from '../../../routes/graphql/turns.ts'
import { accessToken } from '../../http.ts'
import { addTemplates, service } from '../../service.ts'

/** Turns, and a log of who began in which turn of the event loop. */
function logged({ isShared }: { isShared: boolean }) {
  let hits = 0
  const cache = {
    // A kept response is asked for before each look.
    get hits() {
      return isShared ? ++hits : hits
    }
  }
  const turns = new Turns({ inThisTurn: undefined } as Versions, cache as ResponseCache)
  const begun: string[][] = [[]]
  const log = (name: string) => () => void begun.at(-1)?.push(name)
  return {
    arrive: (token: string) => void turns.next(token).then(log(token)),
    pause: (name: string) => turns.pause()?.then(log(name)),
    async run(count: number) {
      while (count-- > 0) {
        await setImmediate()
        begun.push([])
      }
      return begun.filter(names => names.length > 0)
    }
  }
}

t.test('while kept responses are asked for, one request begins in a turn', async t => {
  const { arrive, run } = logged({ isShared: true })
  for (let count = 0; count < 4; count++) arrive('a')
  t.same(await run(10), [['a'], ['a'], ['a'], ['a']])
})

t.test('otherwise, eight begin together', async t => {
  const { arrive, run } = logged({ isShared: false })
  for (let count = 0; count < 10; count++) arrive('a')
  t.same(await run(10), [Array(8).fill('a'), ['a', 'a']])
})

t.test('tokens take turns', async t => {
  const { arrive, run } = logged({ isShared: true })
  for (let count = 0; count < 4; count++) arrive('many')
  arrive('one')
  t.same((await run(10)).flat(), ['many', 'one', 'many', 'many', 'many'])
})

t.test('what has begun goes on before others begin, and pauses only for kept responses', async t => {
  const { arrive, pause, run } = logged({ isShared: true })
  arrive('a')
  arrive('b')
  void pause('begun')
  t.same((await run(10)).flat(), ['begun', 'a', 'b'])
  t.equal(logged({ isShared: false }).pause('begun'), undefined)
})

/** Sends queries that arrive at once; returns their names in the order of the answers. */
async function answered(t: Test) {
  const { app, db, url } = await service(t, { graphqlConcurrency: 100 })
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
  t.ok(order.indexOf('kept') < 10, `after ${order.indexOf('kept')} of 60`)
})

t.test('a client with many queries does not hold up another one', async t => {
  const { order, send, tokens, many } = await answered(t)
  await Promise.all([...many, send('one', tokens[1], '{ allProducts { name } }')])
  t.ok(order.indexOf('one') < 10, `after ${order.indexOf('one')} of 60`)
})
