import { hash } from 'node:crypto'
import { isRefusedStatement } from '../faults.ts'

/** Prepared statements per connection. Each takes about 40 KiB of the server's memory, and nothing ever drops one. */
const maxStatements = 100

/** The names under which the connections of a pool prepare statements. */
export class StatementNames {
  /** The name of each statement by its text; undefined: the statement is not prepared any more. */
  readonly #names = new Map<string, string | undefined>()
  #isEnabled: boolean

  constructor(isEnabled: boolean) {
    this.#isEnabled = isEnabled
  }

  /** Returns the name of a statement; undefined if it must not be prepared. */
  find(text: string): string | undefined {
    if (!this.#isEnabled) return undefined
    if (this.#names.has(text) || this.#names.size === maxStatements) return this.#names.get(text)
    // The name depends on the text only, because a pooler may share a connection among several processes.
    const name = `product_${hash('sha256', text).slice(0, 32)}`
    this.#names.set(text, name)
    return name
  }

  /** Stops preparing a statement that the server has refused to execute. Returns whether the error is such a refusal. */
  giveUp(text: string, error: unknown): boolean {
    if (!isRefusedStatement(error)) return false
    // A changed table affects this statement. A pooler that shares connections affects all statements.
    if (error.code === '0A000') this.#names.set(text, undefined)
    else this.#isEnabled = false
    return true
  }
}
