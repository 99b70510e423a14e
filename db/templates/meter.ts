/** Long work: what it spends, and the numbers of rows that its costs are estimated from. */
import { type CompiledQuery, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { takeTurn } from '../../event-loop.ts'
import { engineOf, perDatabase } from '../dialects/engine.ts'
import type { Db } from '../schema.ts'
import { maxStatementCostInLoop, statementCost } from './costs.ts'
import { typeKeys } from './filter/keys.ts'

/** Long work reports its cost here (costs.ts) and lets other work run. */
export interface Meter {
  /** Adds the cost of work. Throws if the total exceeds the budget. */
  spend(cost: number): void
  /** Lets the event loop run other work if it was blocked for a while. Rejects if the work is aborted. */
  turn(): Promise<void>
  /** Throws NeedsThread if a statement, or several together, of this cost must run on a thread. Absent: none must. */
  allowHere?(cost: number): void
}

/** Work would hold up the event loop. What its snapshot is for must be done again in one on a thread. */
export class NeedsThread extends Error {}

/** Whether work of this cost needs a thread, because the statements of its snapshot block the event loop. */
export const needsThread = ({ blocksLoop = false }: { blocksLoop?: boolean }, cost: number): boolean =>
  blocksLoop && cost > maxStatementCostInLoop

/** Creates a meter without a budget, for commands and tests. */
export const unmetered = (): Meter => ({ spend() {}, turn: takeTurn })

/** A query from Kysely's builder or a raw query. */
interface Query<R> {
  compile(executor: QueryExecutorProvider): CompiledQuery<R>
}

/** Runs a statement of the given cost. */
export async function run<Row>(db: Db, query: Query<Row>, cost: number, meter: Meter): Promise<Row[]> {
  meter.allowHere?.(cost)
  meter.spend(statementCost + cost)
  await meter.turn()
  return (await db.executeQuery(query.compile(db))).rows
}

/** Milliseconds that a count is used, and how many are remembered. */
const countLifetime = 10_000
const maxCounts = 1000

const countsOf = perDatabase(() => new LRUCache<string, number>({ max: maxCounts, ttl: countLifetime }))

/** Counts the rows of what comes after `from`, unless their number is remembered under the key. */
async function countRows(db: Db, key: string, from: () => RawBuilder<unknown>): Promise<number> {
  const counts = countsOf(db)
  const known = counts.get(key)
  if (known !== undefined) return known
  await takeTurn()
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${from()}`.execute(db)
  const count = rows[0]?.count ?? 0
  counts.set(key, count)
  return count
}

/** Returns the approximate number of rows of a table. A covering index has an entry of a few bytes for each row. */
export const estimateRows = (db: Db, table: 'product_template' | 'product_revision'): Promise<number> =>
  countRows(db, `table ${table}`, () => sql.table(table))

/** More entries than this are not counted, because counting blocks the event loop. */
const maxCountedEntries = 500_000

/** Returns the approximate number of entries of a trait, or of all traits, at most 500,000. A template may have very many. */
export const estimateEntries = (db: Db, trait?: string): Promise<number> =>
  countRows(db, trait === undefined ? 'entries' : `entries of ${trait}`, () => {
    const entries = trait === undefined ? sql`product_trait` : engineOf(db).traits.entriesOf(typeKeys(trait))
    return sql`(select 1 from ${entries} limit ${sql.lit(maxCountedEntries)}) as counted`
  })
