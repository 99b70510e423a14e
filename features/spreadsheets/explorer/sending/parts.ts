import type { Verdict } from '../rows/judge.ts'

/** The service's default limits for one request. */
export const maxTemplates = 1000
const maxCharacters = 500_000

/** Returns the input of `importProducts` for a record. */
export const toSent = ({ input, stored }: Verdict) => ({ ...input, expectedRevision: stored?.revision })

/** Splits the import into requests that the service accepts. */
export class Parts {
  count = 0
  #templates = 0
  #characters = 0

  /** Adds a record. Returns whether it starts a new part. */
  add(sent: object): boolean {
    const { length } = JSON.stringify(sent)
    const isFull = this.#templates === maxTemplates || this.#characters + length > maxCharacters
    const begins = this.count === 0 || isFull
    if (begins) [this.#templates, this.#characters] = [0, 0]
    if (begins) this.count++
    this.#templates++
    this.#characters += length
    return begins
  }
}
