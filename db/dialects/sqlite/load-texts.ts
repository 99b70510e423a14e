import type { Db } from '../../schema.ts'
import { type IndexTexts, insertTexts } from './index-entries.ts'
import { configureSearch, ftsHashSize, searchTables } from './search-tables.ts'

/**
 * Characters of texts that are inserted at once: as many as were inserted before, within these bounds. FTS5 writes a part
 * of its index per insert and merges the parts, so a large load has large ones; a small one does not block others.
 */
const minAtOnce = 2 ** 19
const maxAtOnce = 5 * 2 ** 20

/** FTS5 merges this many parts of an index at once. Its default of 4 merges the same texts more often. */
const mergedByLoad = 16
const mergedByDefault = 4

/** Runs a job that is given the function that collects texts, and inserts them. */
export async function loadTexts(
  db: Db,
  job: (collect: (texts: IndexTexts[]) => Promise<void>) => Promise<void>
): Promise<void> {
  let collected: IndexTexts[] = []
  let characters = 0
  let inserted = 0
  const insert = async () => {
    if (characters === 0) return
    await insertTexts(db, collected)
    inserted += characters
    collected = []
    characters = 0
  }
  await setMerged(db, mergedByLoad)
  // Older stores have not enlarged it.
  await configureSearch(db, 'product_search', 'hashsize', ftsHashSize)
  await job(async texts => {
    collected.push(...texts)
    for (const { terms, name, traits } of texts) characters += terms.length + name.length + traits.length
    if (characters >= Math.min(Math.max(minAtOnce, inserted), maxAtOnce)) await insert()
  })
  await insert()
  await setMerged(db, mergedByDefault)
}

async function setMerged(db: Db, parts: number): Promise<void> {
  for (const table of searchTables) await configureSearch(db, table, 'automerge', parts)
}
