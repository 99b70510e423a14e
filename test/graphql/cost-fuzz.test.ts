// Runs alone, in test:all only.
/** Heavy operations made from the schema itself: none takes far more CPU time than its cost says. `SECONDS=60` is thorough. */
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
/** Operations that are made. */
const runs = 60 * Number(process.env.SECONDS ?? 1)

/** Milliseconds of CPU time that a unit of cost stands for. */
const unit = 0.01
/**
 * What an operation may take: milliseconds for any one and per kilobyte of its request, and times its cost. One that is
 * refused costs nearly nothing.
 */
const mostForOne =
  engine === 'sqlite' ? { base: 25, perKilobyte: 0.15, factor: 3 } : { base: 50, perKilobyte: 0.3, factor: 8 }
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

/**
 * One operation may meet a pause to collect garbage, or a slow moment of the machine. One that seems to take too much is
 * judged by its mean over so many turns, in each of which the reference operation follows it.
 */
const turns = 6

function suggestions(count: number, word: string): string {
  return Array.from({ length: count }, (_, n) => `a${n}: searchSuggestion(search: "${word}${n}")`).join(' ')
}

interface Spent {
  /** Milliseconds of CPU time. */
  cpu: number
  cost: number
}

const noneSpent = (): Spent => ({ cpu: 0, cost: 0 })

function add(sum: Spent, { cpu, cost }: Spent): void {
  sum.cpu += cpu
  sum.cost += cost
}

/** How many times the CPU time of an idle machine the reference operation took, at least 1. */
const findSlowness = ({ cpu, cost }: Spent): number => Math.max(1, cpu / (unit * cost) / idle)

/** Milliseconds of CPU time that an operation of a cost may take on an idle machine. */
const allow = (operation: HeavyOperation, cost: number): number =>
  mostForOne.base +
  (mostForOne.perKilobyte * JSON.stringify(operation).length) / 1024 +
  mostForOne.factor * unit * cost

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
  const sum = noneSpent()

  const measure = async (operation: HeavyOperation): Promise<Spent & { requested: number }> => {
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
    const spent = await measure(operation)
    if (spent.requested < 0 || spent.cost < 0) throw new Error(`a cost of ${JSON.stringify(spent)}`)
    add(sum, spent)
    if (spent.cpu > slowness * allow(operation, spent.cost)) await judge(operation)
  }
  const judge = async (operation: HeavyOperation): Promise<void> => {
    const of = { operation: noneSpent(), reference: noneSpent() }
    for (let turn = 0; turn < turns; turn++) {
      add(of.operation, await measure(operation))
      add(of.reference, await measure(reference))
    }
    const { cpu, cost } = of.operation
    const most = findSlowness(of.reference) * allow(operation, cost / turns) * turns
    if (cpu > most)
      throw new Error(`${cpu} ms of CPU time, more than ${most.toFixed()}, for a cost of ${cost}`)
  }

  // What is loaded and compiled at the first requests is no concern of the next.
  for (let count = 0; count < 20; count++) await measure(reference)
  const before = noneSpent()
  for (let count = 0; count < 10; count++) add(before, await measure(reference))
  const slowness = findSlowness(before)
  await fc.assert(fc.asyncProperty(heavyOperations(), check), { examples, numRuns: runs, endOnFailure: true })
  const after = noneSpent()
  for (let count = 0; count < 10; count++) add(after, await measure(reference))
  t.comment(
    `${sum.cpu} ms of CPU time, cost ${sum.cost}, slowness ${slowness.toFixed(1)}; codes: ${JSON.stringify(codes)}`
  )
  t.ok((codes.none ?? 0) > runs / 2, 'most are answered')
  const most =
    Math.max(slowness, findSlowness(after)) * (runs * mostForAll.base + mostForAll.factor * unit * sum.cost)
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
  /** The last CPU time of each process, which keeps that of processes that have ended. */
  const times = new Map<number, number>()
  return async () => {
    const { rows } = await client.query(
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    )
    for (const each of [pid, ...rows.map(row => row.pid)]) times.set(each, processTime(each))
    return [...times.values()].reduce((sum, time) => sum + time)
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
