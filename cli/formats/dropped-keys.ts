import { listDropped } from '../../domain/metadata/dropped.ts'

/** Maximum number of keys that are counted by name, and maximum characters of a name. */
const maxNames = 1000
const maxLength = 60
/** Maximum number of keys that a sentence names. */
const maxShown = 20

/** Counts, for each key that metadata does not have, the documents with this key. */
export class DroppedKeys {
  readonly #counts = new Map<string, number>()

  add(data: string): void {
    for (const name of new Set(listDropped(data))) {
      const key = name.length > maxLength ? `${name.slice(0, maxLength)}…` : name
      if (this.#counts.has(key) || this.#counts.size < maxNames)
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    }
  }

  /** Names the keys with their counts, the most frequent first; empty if there is none. */
  describe(): string {
    const sorted = [...this.#counts].sort(([, one], [, other]) => other - one)
    const shown = sorted.slice(0, maxShown).map(([key, count]) => `${key} (${count})`)
    const others = sorted.length > maxShown ? ` and ${sorted.length - maxShown} others` : ''
    return `${shown.join(', ')}${others}`
  }
}
