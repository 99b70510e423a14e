import { parseDocument } from '../../db/templates/document.ts'
import type { ProductTemplate as Template } from '../../db/templates/product-templates.ts'

export const ProductTemplate = {
  document: ({ data }: Template) => parseDocument(data)
}
