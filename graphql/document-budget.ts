import { GraphQLError } from 'graphql'

/**
 * Bounds the documents that one operation reads: each alias of `allProducts` reads the store again, long before
 * there is a result to be measured.
 */
export class DocumentBudget {
  readonly #limit: number
  #left: number

  /** In bytes, of which a document has at least one for each character. */
  constructor(limit: number) {
    this.#limit = limit
    this.#left = limit
  }

  /** Throws RESULT_TOO_LARGE. */
  spend(templates: { data: string }[]): void {
    for (const { data } of templates) this.#left -= data.length
    if (this.#left >= 0) return
    throw new GraphQLError(`the operation reads documents of more than ${this.#limit} bytes: ask for less`, {
      extensions: { code: 'RESULT_TOO_LARGE' }
    })
  }
}
