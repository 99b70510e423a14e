import { parseDocument } from '../../db/document.ts'
import type { ProductTemplate as Template } from '../../db/repositories/product-templates.ts'

export const ProductTemplate = {
  document: ({ data }: Template) => parseDocument(data)
}
