/** Approximate numbers of rows, which costs are estimated from. */
import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { engineOf, perDatabase } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { fields, hasKeys, listTraits, type TemplateFilter } from '../filter/fields.ts'
import { typeKeys } from '../filter/keys.ts'
import { countedEntryCost, type Meter, run } from '../meter.ts'

/** Milliseconds that a count is used, and how many are remembered. */
const countLifetime = 10_000
const maxCounts = 1000

const countsOf = perDatabase(() => new LRUCache<string, number>({ max: maxCounts, ttl: countLifetime }))

/** Returns a count that is remembered, or counts. */
async function remember(db: Db, key: string, count: () => Promise<number>): Promise<number> {
  const counts = countsOf(db)
  const known = counts.get(key)
  if (known !== undefined) return known
  const counted = await count()
  counts.set(key, counted)
  return counted
}

/** Returns the approximate number of rows of a table; counts them at most every ten seconds. */
export const estimateRows = (db: Db, table: 'product_template' | 'product_revision'): Promise<number> =>
  remember(db, `table ${table}`, async () => {
    // A covering index has an entry of a few bytes for each row.
    const query = sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`
    return (await query.execute(db)).rows[0]?.count ?? 0
  })

/** Traits of a filter whose entries are counted; only generated filters have more. */
const maxTraits = 20

/**
 * Returns how many entries a template has of a trait whose values a filter reads: the most for any such trait, on average
 * over all templates, and at least 1. A plan multiplies its costs by it, because a template may have very many entries.
 */
export async function measureDensity(
  db: Db,
  filter: TemplateFilter,
  templates: number,
  meter: Meter
): Promise<number> {
  let density = 1
  const read = listTraits(filter).filter(trait => !fields.trait.split(trait).every(hasKeys))
  for (const type of [...new Set(read.map(({ type }) => type))].slice(0, maxTraits)) {
    const count = async () => {
      const entries = engineOf(db).traits.entriesOf(typeKeys(type))
      return (await measureEntries(db, entries, countedEntryCost, meter)) / countedEntryCost
    }
    density = Math.max(density, (await remember(db, `trait ${type}`, count)) / Math.max(1, templates))
  }
  return density
}

/** Entries that are counted without a thread. */
const maxCountedHere = 10_000

/** Returns the cost of reading entries of traits. Counts them, because a template may have very many. */
export async function measureEntries(
  db: Db,
  entries: RawBuilder<unknown>,
  costPerEntry: number,
  meter: Meter
): Promise<number> {
  const count = async (most: number, cost: number) => {
    const query = sql<{ count: number }>`select count(*) as count
      from (select 1 from ${entries} limit ${sql.lit(most)}) as counted`
    return (await run(db, query, cost, meter))[0]?.count ?? 0
  }
  const few = await count(maxCountedHere, 0)
  const all = few < maxCountedHere ? few : await count(Number.MAX_SAFE_INTEGER, few * costPerEntry)
  return all * costPerEntry
}
