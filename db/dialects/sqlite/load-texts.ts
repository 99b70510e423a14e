import { sql } from 'kysely'
import type { Db } from '../../schema.ts'
import type { IndexEntry } from '../engine.ts'
import { type IndexTexts, insertTexts, searchTables, toTexts } from './index-entries.ts'

/**
 * Characters of texts that are inserted at once: as many as were inserted before, within these bounds. FTS5 writes a part
 * of its index per insert and merges the parts, so a large load has large ones; a small one does not block others.
 */
const minAtOnce = 2 ** 19
const maxAtOnce = 5 * 2 ** 20

/** Parts of an index that FTS5 merges at once; by default 4, which merges the same texts more often. */
const mergedByLoad = 16
const mergedByDefault = 4

/** Runs a job that is given the function that collects the texts of entries, and inserts them. */
export async function loadTexts(
  db: Db,
  job: (collect: (entries: IndexEntry[]) => Promise<void>) => Promise<void>
): Promise<void> {
  let texts: IndexTexts[] = []
  let characters = 0
  let inserted = 0
  const insert = async () => {
    await insertTexts(db, texts)
    inserted += characters
    texts = []
    characters = 0
  }
  await setMerged(db, mergedByLoad)
  await job(async entries => {
    for (const entry of entries.map(toTexts)) {
      texts.push(entry)
      characters += entry.terms.length + entry.name.length + entry.traits.length
    }
    if (characters >= Math.min(Math.max(minAtOnce, inserted), maxAtOnce)) await insert()
  })
  await insert()
  await setMerged(db, mergedByDefault)
}

async function setMerged(db: Db, parts: number): Promise<void> {
  for (const table of searchTables)
    await sql`insert into ${sql.table(table)} (${sql.table(table)}, rank) values ('automerge', ${sql.lit(parts)})`.execute(
      db
    )
}
