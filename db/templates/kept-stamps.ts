import { LRUCache } from 'lru-cache'
import type { Db } from '../schema.ts'
import type { FoundTemplate } from './product-templates.ts'

/** Stamps of all lists together, of about so many bytes each. */
export const maxKeptStamps = 2 ** 14
const stampBytes = 400

/** The stamps of a list as they were read. */
export interface KeptStamps {
  /** `Version.templates` when they were read. */
  version: string
  stamps: FoundTemplate[]
}

type KeptLists = LRUCache<string, KeptStamps>

const known = new WeakMap<object, KeptLists>()

/** Returns the kept lists of a database, the same for all who share it. */
export function keptListsOf(db: Db): KeptLists {
  // Each operation has a Kysely of its own.
  const { adapter } = db.getExecutor()
  const lists = known.get(adapter) ?? createLists()
  known.set(adapter, lists)
  return lists
}

const createLists = (): KeptLists =>
  new LRUCache({
    maxSize: maxKeptStamps,
    sizeCalculation: ({ stamps }) => stamps.reduce((sum, stamp) => sum + sizeOf(stamp), 1)
  })

/** Plain SQL and imports may write names of any length: each counts as so many stamps as it takes memory. */
const sizeOf = ({ name, componentName }: FoundTemplate): number =>
  1 + Math.floor((name.length + componentName.length) / stampBytes)
