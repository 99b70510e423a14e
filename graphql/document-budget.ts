import { GraphQLError } from 'graphql'

/**
 * Bounds the bytes of documents that one operation reads. Each alias of `allProducts` reads the store again, long
 * before there is a result to measure.
 */
export class DocumentBudget {
  readonly #limit: number
  #left: number

  /** `limit` is in bytes; a document has at least one per character. */
  constructor(limit: number) {
    this.#limit = limit
    this.#left = limit
  }

  /** Throws RESULT_TOO_LARGE. */
  spend(templates: { data: string }[]): void {
    for (const { data } of templates) this.#left -= data.length
    if (this.#left >= 0) return
    throw new GraphQLError(`the operation reads more than ${this.#limit} bytes of documents; request less`, {
      extensions: { code: 'RESULT_TOO_LARGE' }
    })
  }
}
