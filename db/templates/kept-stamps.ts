import { LRUCache } from 'lru-cache'
import type { Db } from '../schema.ts'
import type { FoundTemplate } from './product-templates.ts'

/** Stamps of all lists together, about 400 bytes each. */
export const maxKeptStamps = 2 ** 14

/** The stamps of a list as they were read. */
export interface KeptStamps {
  /** `Version.templates` of the snapshot. */
  version: string
  stamps: FoundTemplate[]
}

type KeptLists = LRUCache<string, KeptStamps>

const known = new WeakMap<Db, KeptLists>()

/** Returns the kept lists of a database, the same for all who share it. */
export function keptListsOf(db: Db): KeptLists {
  const lists = known.get(db) ?? createLists()
  known.set(db, lists)
  return lists
}

const createLists = (): KeptLists =>
  new LRUCache({ maxSize: maxKeptStamps, sizeCalculation: ({ stamps }) => stamps.length + 1 })
