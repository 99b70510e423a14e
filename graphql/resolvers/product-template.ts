import type { ProductTemplate as Template } from '../../db/templates/product-templates.ts'
import type { Context } from '../context.ts'

/** Characters of a document whose selection may take long to complete. */
const longDocument = 2 ** 15

export const ProductTemplate = {
  document({ data }: Template, _arguments: unknown, { operation, written }: Context) {
    // What is written as JSON lets others have their turn by itself.
    if (written || data.length <= longDocument) return operation.parse(data)
    return operation.inTurn(() => operation.parse(data))
  }
}
