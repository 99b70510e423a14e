// Runs alone, in test:all only.
/**
 * Heavy operations made from the schema itself: none holds the event loop. One whose requested cost is small runs on
 * the service's thread, so a cost that is too low shows there; the others run on a worker. `SECONDS=60` is thorough.
 */
import { t } from 'tap'
import { openDatabase } from '../../features/database.ts'
import { maxMainThreadCost } from '../../graphql/admission/unit-costs.ts'
import { engine, migratedUrl } from '../support/database/database.ts'
import fc from '../support/generated/fast-check.ts'
import { accessToken, graphqlRequest } from '../support/http/http.ts'
import { addClient, addUser } from '../support/service/service.ts'
import { isWithin, measureAgain, shortest } from './availability/check.ts'
import { serveWatched } from './availability/watched-service.ts'
import { addMixedTemplates } from './cost-store.ts'
import { type HeavyOperation, heavyOperations } from './heavy.ts'

const templates = 3000
/** Half a second, so that there is time for many operations. */
const maxCost = 50_000
/** Operations that are made. */
const runs = 60 * Number(process.env.SECONDS ?? 1)

/** Milliseconds of CPU time that a turn may take: for any operation, and per kilobyte of its request. */
const maxTurn = { base: 40, perKilobyte: 0.15 }

/** Operations that once took far more, and are tried first. */
const examples: [HeavyOperation][] = [
  // A negative number beside something that is too expensive.
  [{ query: '{ allProducts(limit: -1000000000) { id } traits { type } }', variables: {} }],
  // A trait with long values, and a list of values.
  [traitOf({ type: 't7', in: Array.from({ length: 90 }, (_, n) => `value ${n}`) })],
  // A long word with a typing error has 3000 neighbours.
  [{ query: `{ ${suggestions(15, 'жабвгдезийклмнопрстуфхц')} }`, variables: {} }]
]

function suggestions(count: number, word: string): string {
  return Array.from({ length: count }, (_, n) => `a${n}: searchSuggestion(search: "${word}${n}")`).join(' ')
}

/** Milliseconds of CPU time that a turn for an operation may take on an idle machine. */
const allow = (operation: HeavyOperation): number =>
  maxTurn.base + (maxTurn.perKilobyte * JSON.stringify(operation).length) / 1024

t.test('no operation holds the event loop', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  await addUser(db, { role: 'admin' })
  await addClient(db, { scopes: ['read', 'write', 'admin'] })
  await addMixedTemplates(db, templates)
  await db.destroy()
  const settings = { PASSWORD_MEMORY: '7168', GRAPHQL_MAX_COST: `${maxCost}` }
  const service = await serveWatched(t, { DATABASE_URL: url, ...settings })
  const token = await accessToken(service.url, { scope: 'read admin' })
  const codes: Record<string, number> = {}
  let count = 0
  let here = 0

  const send = async ({ query, variables }: HeavyOperation): Promise<number> => {
    // The same text, so that Mercurius compiles it, but no response is kept for it.
    const body = { query, variables: { ...variables, unrepeated: count++ } }
    const response = await graphqlRequest(service.url, token, body, { 'GraphQL-Cost': '1' })
    const answer = Buffer.from(await response.arrayBuffer())
    const end = answer.toString('latin1', answer.length - 200)
    const [, requested] = /"extensions":\{"cost":\{"requested":(\d+),"actual":\d+/.exec(end) ?? []
    if (response.status !== 200 || requested === undefined)
      throw new Error(`${response.status} ${answer.toString('utf8', 0, 1000)}`)
    const [, code = 'none'] = /^\{"errors".*?"code":"(\w+)"/s.exec(answer.toString('latin1', 0, 1000)) ?? []
    codes[code] = (codes[code] ?? 0) + 1
    return Number(requested)
  }
  const measure = async (operation: HeavyOperation) => {
    await service.read()
    await send(operation)
    const requested = await send(operation)
    const { turn } = await service.read()
    return { requested, turn }
  }
  const check = async (operation: HeavyOperation): Promise<void> => {
    const most = allow(operation)
    const all = await measureAgain(() => measure(operation), most)
    const [{ requested }] = all
    const turn = shortest(all)
    if (requested <= maxMainThreadCost) here++
    if (!isWithin(turn, most))
      throw new Error(
        `a turn took ${turn.toFixed()} ms, more than ${most.toFixed()}, for a cost of ${requested}`
      )
  }

  // What is loaded and compiled at the first requests is no concern of the next.
  const usual = '{ products { totalCount nodes { document { name } } } traits(types: ["MadeIn"]) { type } }'
  for (let time = 0; time < 10; time++) await send({ query: usual, variables: {} })
  await fc.assert(fc.asyncProperty(heavyOperations(), check), { examples, numRuns: runs, endOnFailure: true })
  t.comment(`${engine}: ${here} of ${runs} on the service's thread; codes: ${JSON.stringify(codes)}`)
  t.ok((codes.none ?? 0) > runs, 'most are answered')
  t.ok(here > runs / 10, "some run on the service's thread")
})

function traitOf(trait: object): HeavyOperation {
  const query = 'query($where: ProductTemplateFilter) { products(where: $where) { totalCount } }'
  return { query, variables: { where: { trait } } }
}
