import { statementCost } from '../../db/templates/meter.ts'
import { findRevision } from '../../db/templates/revisions/revisions.ts'
import { type ProductDocument, parseDocument } from '../../db/templates/table/document.ts'
import type { FoundTemplate } from '../../db/templates/table/product-templates.ts'
import { unavailable } from '../../errors.ts'
import type { Operation } from './operation.ts'

/** Cost of parsing or hashing a document. */
export const costPerCharacter = 1 / 4096
/** Cost of reading a long document. */
const costPerReadCharacter = 1 / 16_384

/** The documents of an operation. Aliases are completed one after another, so the last document serves them all. */
export class Documents {
  readonly #operation: Operation
  #read: { template: FoundTemplate; data: string } | undefined
  #parsed: { data: string; document: ProductDocument | null } | undefined

  constructor(operation: Operation) {
    this.#operation = operation
  }

  /** Parses a document once for all its aliases. */
  parse(data: string): ProductDocument | null {
    if (this.#parsed?.data === data) return this.#parsed.document
    this.#operation.spend(data.length * costPerCharacter)
    const document = parseDocument(data)
    this.#parsed = { data, document }
    return document
  }

  /** Reads a long document once for all its aliases, as it was when its template was found. */
  async read(template: FoundTemplate): Promise<string> {
    if (this.#read?.template !== template) {
      const data = await this.#operation.evaluate(() => this.#readData(template))
      this.#read = { template, data }
    }
    return this.#read.data
  }

  async #readData({ id, revision }: FoundTemplate): Promise<string> {
    const operation = this.#operation
    operation.spend(statementCost)
    const found = await findRevision(operation.db, id, revision as number)
    if (!found) throw unavailable('the history of a template was deleted while it was read')
    operation.spend(found.data.length * costPerReadCharacter)
    return found.data
  }
}
