import type { ProductTemplate as Template } from '../../db/templates/product-templates.ts'
import type { Context } from '../context.ts'

/** Characters from which completing a document may take long. */
const longDocument = 2 ** 15

export const ProductTemplate = {
  document({ data }: Template, _arguments: unknown, { operation, written }: Context) {
    // The writer of JSON takes turns itself.
    if (written || data.length <= longDocument) return operation.parse(data)
    return operation.inTurn(() => operation.parse(data))
  }
}
