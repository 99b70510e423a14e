/** Approximate statistics of a store, from which the cost of an operation is estimated before it runs. */
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { memoizeByDatabase, operationDb } from '../dialects/engine.ts'
import type { Db } from '../schema.ts'

export interface StoreStatistics {
  templates: number
  revisions: number
  /** Entries of traits, at most 500,000. */
  entries: number
  /** Mean bytes of a document, of the templates with the highest ids. */
  documentBytes: number
}

/** Milliseconds that statistics are used. */
const lifetime = 10_000
/** Milliseconds that operations wait for new statistics, such as while another program locks the table. */
const maxWait = 3000
/** Milliseconds after which a reading is given up. */
const maxReadTime = 30_000
/** More entries than this are not counted: they take 20 ms on SQLite, which counts whole tables faster. */
const maxCountedEntries = 500_000
/** Entries are counted again when this part of the revisions is new. */
const newPart = 1 / 20
const maxMeasuredDocuments = 1000
/** The statistics of a typical template. */
const typicalTemplate = { entries: 16, documentBytes: 4096 }

interface Cache {
  statistics: Promise<StoreStatistics> | undefined
  readAt: number
  isReading: boolean
  /** The number of entries when they were last counted, and the number of revisions then. */
  counted: Pick<StoreStatistics, 'entries' | 'revisions'>
}

const latest = memoizeByDatabase<Cache>(() => ({
  statistics: undefined,
  readAt: 0,
  isReading: false,
  counted: { entries: 0, revisions: 0 }
}))

/**
 * Returns the statistics of a database, which are read again after ten seconds. Until they have been read, or if that
 * fails, returns the old ones, but operations wait a moment for the same reading.
 */
export function readStoreStatistics(db: Db): Promise<StoreStatistics> {
  const cache = latest(db)
  const { statistics: last } = cache
  if (last && (cache.isReading || performance.now() - cache.readAt < lifetime)) return last
  cache.isReading = true
  const reading = readStatistics(operationDb(db, { signal: AbortSignal.timeout(maxReadTime) }), cache)
    .then(found => {
      cache.statistics = Promise.resolve(found)
      return found
    })
    .catch(error => {
      cache.statistics = last
      if (last) return last
      throw error
    })
    .finally(() => {
      cache.isReading = false
      cache.readAt = performance.now()
    })
  cache.statistics = last ? Promise.race([reading, setTimeout(maxWait, last, { ref: false })]) : reading
  return cache.statistics
}

/**
 * Returns the statistics for a caller who does not see all templates. They reveal only the power of two above the
 * number of all templates.
 */
export function hideStatistics({ templates }: StoreStatistics): StoreStatistics {
  const rounded = 2 ** Math.ceil(Math.log2(templates + 1))
  const entries = Math.min(rounded * typicalTemplate.entries, maxCountedEntries)
  return { templates: rounded, revisions: rounded, entries, documentBytes: typicalTemplate.documentBytes }
}

async function readStatistics(db: Db, cache: Cache): Promise<StoreStatistics> {
  const { rows } = await sql<Omit<StoreStatistics, 'entries'>>`select
    (select count(*) from product_template) as templates,
    (select count(*) from product_revision) as revisions,
    (select cast(coalesce(avg(octet_length(data)), 0) as integer) from (
      select data from product_template order by id desc limit ${sql.lit(maxMeasuredDocuments)}
    ) as sample) as "documentBytes"`.execute(db)
  const statistics = rows[0] as Omit<StoreStatistics, 'entries'>
  const { revisions } = cache.counted
  if (Math.abs(statistics.revisions - revisions) > revisions * newPart)
    cache.counted = { revisions: statistics.revisions, entries: await countEntries(db) }
  return { ...statistics, entries: cache.counted.entries }
}

async function countEntries(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
      select 1 from product_trait limit ${sql.lit(maxCountedEntries)}
    ) as counted`.execute(db)
  return rows[0]?.count ?? 0
}
