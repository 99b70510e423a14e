import { hash } from 'node:crypto'
import { isRefusedStatement } from '../faults.ts'

/**
 * Maximum number of prepared statements per connection. Neither pg nor the server ever drops one, and each takes about
 * 40 KiB of the server's memory.
 */
const maxStatements = 100

/** The names under which the connections of a pool prepare statements. */
export class StatementNames {
  /** By text; undefined: not prepared any more. */
  readonly #names = new Map<string, string | undefined>()
  #on: boolean

  constructor(on: boolean) {
    this.#on = on
  }

  /** Returns the name of a statement; undefined if it is not to be prepared. */
  find(text: string): string | undefined {
    if (!this.#on) return undefined
    if (this.#names.has(text) || this.#names.size === maxStatements) return this.#names.get(text)
    // A name stands for one text in every process, because a pooler may share a connection among several.
    const name = `product_${hash('sha256', text).slice(0, 32)}`
    this.#names.set(text, name)
    return name
  }

  /** Returns whether the server refused to execute a prepared statement. From then on, it has no name. */
  giveUp(text: string, error: unknown): boolean {
    if (!isRefusedStatement(error)) return false
    // A changed table concerns this statement. A pooler that shares connections concerns all.
    if (error.code === '0A000') this.#names.set(text, undefined)
    else this.#on = false
    return true
  }
}
