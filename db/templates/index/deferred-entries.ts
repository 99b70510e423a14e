import { engineOf } from '../../dialects/engine.ts'
import type { IndexEntry } from '../../dialects/interface.ts'
import type { Db } from '../../schema.ts'

/** Characters of the documents whose entries may wait. */
const maxCharacters = 2 ** 20

/**
 * Collects the index entries of a transaction, to write many together. SQLite's FTS5 writes a segment of its index whenever
 * a statement with several rows begins, and merges the segments later. With fewer segments, that is less work.
 */
export class DeferredEntries {
  #entries: IndexEntry[] = []
  #characters = 0

  /** Adds entries. `characters` is the total length of their documents. Writes all entries if they are too many. */
  async add(db: Db, entries: IndexEntry[], characters: number): Promise<void> {
    this.#entries.push(...entries)
    this.#characters += characters
    if (this.#characters > maxCharacters) await this.write(db)
  }

  /** Writes the entries that wait. Call it before the transaction ends. */
  async write(db: Db): Promise<void> {
    const entries = this.#entries
    this.#entries = []
    this.#characters = 0
    if (entries.length > 0) await engineOf(db).index.replace(db, entries)
  }
}
