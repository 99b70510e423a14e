import { LRUCache } from 'lru-cache'
import { perDatabase } from '../per-database.ts'
import type { Db } from '../schema.ts'
import type { TemplateOrder } from './order.ts'
import type { TemplateStamp } from './stamp.ts'

/** Number of stamps that are kept for all lists together. A stamp with long names counts as several. */
export const maxKeptStamps = 2 ** 14
/** Characters of names per stamp. */
const charactersPerStamp = 400

/** A list of all templates, or of a part of them. */
export interface WholeList {
  order: TemplateOrder
  limit?: number | undefined
  offset?: number | undefined
}

interface KeptStamps {
  version: string
  stamps: TemplateStamp[]
}

/** Finds the stamps of a list that were kept at this `Version.templates`. */
export function findKeptStamps(db: Db, list: WholeList, version: string): TemplateStamp[] | undefined {
  const kept = keptListsOf(db).get(keyOf(list))
  return kept?.version === version ? kept.stamps : undefined
}

/** Keeps the stamps of a list that were read at this `Version.templates`. Too many are not kept. */
export function keepStamps(db: Db, list: WholeList, version: string, stamps: TemplateStamp[]): void {
  keptListsOf(db).set(keyOf(list), { version, stamps })
}

const keptListsOf = perDatabase(
  () =>
    new LRUCache<string, KeptStamps>({
      maxSize: maxKeptStamps,
      sizeCalculation: ({ stamps }) => stamps.reduce((sum, stamp) => sum + sizeOf(stamp), 1)
    })
)

/** Plain SQL and imports can write names of any length. */
const sizeOf = ({ name, componentName }: TemplateStamp): number =>
  1 + Math.floor((name.length + componentName.length) / charactersPerStamp)

const keyOf = ({ order, limit, offset }: WholeList): string =>
  `${order.field} ${order.direction} ${limit} ${offset}`
