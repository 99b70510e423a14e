/**
 * Heavy operations made from the schema itself, for a while: none takes far more CPU time than its cost says.
 * `SECONDS=60` is thorough.
 */
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { type Test, t } from 'tap'
import { openDatabase } from '../../db/connect.ts'
import { engine, migratedUrl } from '../support/database/database.ts'
import fc from '../support/generated/fast-check.ts'
import { accessToken, graphqlRequest } from '../support/http/http.ts'
import { serve } from '../support/service/process.ts'
import { addClient, addUser } from '../support/service/service.ts'
import { addMixedTemplates } from './cost-store.ts'
import { type HeavyOperation, heavyOperations } from './heavy.ts'
import { unrepeated } from './unrepeated.ts'

const templates = 3000
/** Half a second, so that there is time for many operations. */
const maxCost = 50_000
/** Milliseconds in which operations are made, and in which one that failed is made smaller. */
const time = 1000 * Number(process.env.SECONDS ?? 1)
const timeToShrink = 20_000

/** Milliseconds of CPU time that a unit of cost stands for. */
const unit = 0.01
/**
 * What an operation may take: milliseconds for any one and per kilobyte of its request, and times its cost. One that is
 * refused costs nearly nothing.
 */
const mostForOne =
  engine === 'sqlite' ? { base: 20, perKilobyte: 0.15, factor: 3 } : { base: 50, perKilobyte: 0.3, factor: 8 }
/** What many may take together. */
const mostForAll = { base: 15, factor: engine === 'sqlite' ? 2 : 4 }
/**
 * CPU time per cost of the reference operation on an idle machine. On a busy machine every operation takes more CPU
 * time, the reference too, so that the ratio of the two decides.
 */
const idle = engine === 'sqlite' ? 2 : 5
const reference: HeavyOperation = {
  query: '{ products { totalCount nodes { document { name } } } traits(types: ["MadeIn"]) { type } }',
  variables: {}
}
/** Operations that once took far more, and are tried first. */
const examples: [HeavyOperation][] = [
  // A negative number beside something that is too expensive.
  [{ query: '{ allProducts(limit: -1000000000) { id } traits { type } }', variables: {} }],
  // A trait with long values, and a list of values.
  [traitOf({ type: 't7', in: Array.from({ length: 90 }, (_, n) => `value ${n}`) })],
  // A long word with a typing error has 3000 neighbours.
  [{ query: `{ ${suggestions(15, 'жабвгдезийклмнопрстуфхц')} }`, variables: {} }]
]

/** A pause to collect garbage is no fault: that is in every try. */
const maxTries = 4

function suggestions(count: number, word: string): string {
  return Array.from({ length: count }, (_, n) => `a${n}: searchSuggestion(search: "${word}${n}")`).join(' ')
}

interface Spent {
  /** Milliseconds of CPU time. */
  cpu: number
  cost: number
  /** Cost of what its arguments ask for. */
  requested: number
}

t.test('no operation takes far more CPU time than it costs', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  await addUser(db, { role: 'admin' })
  await addClient(db, { scopes: ['read', 'write', 'admin'] })
  await addMixedTemplates(db, templates)
  await db.destroy()
  const settings = { PASSWORD_MEMORY: '7168', GRAPHQL_COST_RATE: '0', GRAPHQL_MAX_COST: `${maxCost}` }
  const service = await serve(t, [], { DATABASE_URL: url, ...settings })
  const token = await accessToken(service.url, { scope: 'read admin' })
  const cpuTime = await cpuClock(t, service.child.pid as number, url)
  const codes: Record<string, number> = {}
  const sum = { cpu: 0, cost: 0 }

  const measure = async (operation: HeavyOperation): Promise<Spent> => {
    const before = await cpuTime()
    const response = await graphqlRequest(service.url, token, unrepeated(operation), { 'GraphQL-Cost': '1' })
    const body = Buffer.from(await response.arrayBuffer())
    const cpu = (await cpuTime()) - before
    const [, requested, cost] =
      /"extensions":\{"cost":\{"requested":(-?\d+),"actual":(-?\d+)/.exec(
        body.toString('latin1', body.length - 200)
      ) ?? []
    if (response.status !== 200 || cost === undefined)
      throw new Error(`${response.status} ${body.toString('utf8', 0, 1000)}`)
    const [, code = 'none'] = /^\{"errors".*?"code":"(\w+)"/s.exec(body.toString('latin1', 0, 1000)) ?? []
    codes[code] = (codes[code] ?? 0) + 1
    return { cpu, cost: Number(cost), requested: Number(requested) }
  }
  const check = async (operation: HeavyOperation): Promise<void> => {
    const { base, perKilobyte, factor } = mostForOne
    const most = base + (perKilobyte * JSON.stringify(operation).length) / 1024
    const tries: Spent[] = []
    while (tries.length < maxTries) {
      const spent = await measure(operation)
      tries.push(spent)
      if (spent.requested < 0 || spent.cost < 0) throw new Error(`a cost of ${JSON.stringify(spent)}`)
      const isSlow = () => spent.cpu > slowness * (most + factor * unit * spent.cost)
      if (isSlow()) await measureSlowness()
      if (isSlow()) continue
      sum.cpu += spent.cpu
      sum.cost += spent.cost
      return
    }
    throw new Error(tries.map(({ cpu, cost }) => `${cpu} ms of CPU time for a cost of ${cost}`).join('; '))
  }

  // What is loaded and compiled at the first requests is no concern of the next.
  for (let count = 0; count < 20; count++) await measure(reference)
  let slowness = 1
  const measureSlowness = async (): Promise<void> => {
    const spent: Spent[] = []
    while (spent.length < 10) spent.push(await measure(reference))
    const total = (key: keyof Spent) => spent.reduce((sum, each) => sum + each[key], 0)
    slowness = Math.max(slowness, total('cpu') / (unit * total('cost')) / idle)
  }
  await measureSlowness()
  const property = fc.asyncProperty(heavyOperations(), check)
  const limits = (interruptAfterTimeLimit: number) => ({
    examples,
    interruptAfterTimeLimit,
    markInterruptAsFailure: false
  })
  const found = await fc.check(property, { numRuns: 1_000_000, endOnFailure: true, ...limits(time) })
  // The failure is reproduced and shrunk. One that does not come back was caused by the machine, not by the operation.
  if (found.counterexamplePath !== null)
    await fc.assert(property, {
      seed: found.seed,
      path: found.counterexamplePath,
      numRuns: 1,
      ...limits(timeToShrink)
    })
  t.comment(
    `${found.numRuns} operations, ${sum.cpu} ms of CPU time, cost ${sum.cost}, slowness ${slowness.toFixed(1)}; codes: ${JSON.stringify(codes)}`
  )
  t.ok((codes.none ?? 0) > found.numRuns / 2, 'most are answered')
  const most = slowness * (found.numRuns * mostForAll.base + mostForAll.factor * unit * sum.cost)
  t.ok(sum.cpu < most, `all together take no more than ${most.toFixed()} ms of CPU time`)
})

function traitOf(trait: object): HeavyOperation {
  const query = 'query($where: ProductTemplateFilter) { products(where: $where) { totalCount } }'
  return { query, variables: { where: { trait } } }
}

/** Reads the CPU time of a process in milliseconds, with that of the PostgreSQL servers it is connected to. */
async function cpuClock(t: Test, pid: number, url: string): Promise<() => Promise<number>> {
  if (engine === 'sqlite') return async () => processTime(pid)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  return async () => {
    const { rows } = await client.query(
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    )
    return rows.reduce((sum, row) => sum + processTime(row.pid), processTime(pid))
  }
}

/** 0 if the process has ended or runs on another machine. */
function processTime(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the process, in brackets, may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return 10 * (Number(fields[11]) + Number(fields[12]))
  } catch {
    return 0
  }
}
