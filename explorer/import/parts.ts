import type { Verdict } from './judge.ts'

/** Templates and characters that the service takes at once by default. */
const mostTemplates = 1000
const mostCharacters = 500_000

/** What is sent of a record. */
export const toSent = ({ input, stored }: Verdict) => ({ ...input, expectedRevision: stored?.revision })

/** Divides what is sent into parts that the service takes at once. */
export class Parts {
  count = 0
  #templates = 0
  #characters = 0

  /** Adds a record. Returns whether a part begins with it. */
  add(sent: object): boolean {
    const { length } = JSON.stringify(sent)
    const isFull = this.#templates === mostTemplates || this.#characters + length > mostCharacters
    const begins = this.count === 0 || isFull
    if (begins) [this.#templates, this.#characters] = [0, 0]
    if (begins) this.count++
    this.#templates++
    this.#characters += length
    return begins
  }
}
