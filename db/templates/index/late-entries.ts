import { engineOf } from '../../dialects/engine.ts'
import type { IndexEntry } from '../../dialects/interface.ts'
import type { Db } from '../../schema.ts'

/** Characters of documents whose entries wait. */
const maxCharacters = 2 ** 20

/**
 * Index entries of a transaction that are written together, as many as fit in memory. SQLite's FTS5 writes a part of its
 * index whenever another statement of several rows begins, and merges the parts later: the fewer there are, the less work.
 */
export class LateEntries {
  #entries: IndexEntry[] = []
  #characters = 0

  /** Takes entries of documents that have so many characters together. */
  async add(db: Db, entries: IndexEntry[], characters: number): Promise<void> {
    this.#entries.push(...entries)
    this.#characters += characters
    if (this.#characters > maxCharacters) await this.write(db)
  }

  /** Writes those that wait. Call it before the transaction ends. */
  async write(db: Db): Promise<void> {
    const entries = this.#entries
    this.#entries = []
    this.#characters = 0
    if (entries.length > 0) await engineOf(db).index.replace(db, entries)
  }
}
