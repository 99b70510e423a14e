import { LRUCache } from 'lru-cache'
import { engineOf } from '../../dialects/engine.ts'
import { perDatabase } from '../../per-database.ts'
import type { Db } from '../../schema.ts'
import { fields, hasKeys, type TemplateFilter } from '../filter/fields.ts'
import { typeKeys } from '../filter/keys.ts'
import { type Meter, measureEntries } from '../meter.ts'

/** Traits of a filter whose entries are counted; there are more only in filters that are generated. */
const maxTraits = 20
/** Milliseconds that a count is used, and how many are remembered. */
const countLifetime = 10_000
const maxCounts = 1000
/** Cost of counting an entry; so high that counting many does not block the event loop. */
const countCost = 0.2

const countsOf = perDatabase(() => new LRUCache<string, number>({ max: maxCounts, ttl: countLifetime }))

/**
 * Returns how many entries a template has of a trait whose values a filter reads: the most for any such trait, on average
 * over all templates, and at least 1. A plan multiplies its costs by it, because a template may have very many.
 */
export async function measureDensity(
  db: Db,
  filter: TemplateFilter,
  templates: number,
  meter: Meter
): Promise<number> {
  const counts = countsOf(db)
  let density = 1
  for (const type of [...new Set(listReadTraits(filter))].slice(0, maxTraits)) {
    const count = counts.get(type) ?? (await countEntries(db, type, meter))
    counts.set(type, count, { noUpdateTTL: true })
    density = Math.max(density, count / Math.max(1, templates))
  }
  return density
}

async function countEntries(db: Db, type: string, meter: Meter): Promise<number> {
  const entries = engineOf(db).traits.entriesOf(typeKeys(type))
  return (await measureEntries(db, entries, countCost, meter)) / countCost
}

/** Lists the traits whose values are read. */
function listReadTraits({ and = [], or = [], not, trait }: TemplateFilter): string[] {
  const inner = [...and, ...or, ...(not ? [not] : [])].flatMap(listReadTraits)
  const isRead = trait && !fields.trait.split(trait).every(hasKeys)
  return isRead ? [trait.type, ...inner] : inner
}
