import { listProductTemplates, type ProductTemplate } from '../../db/repositories/product-templates.ts'
import type { Context } from '../context.ts'

export const Query = {
  allProducts: (_root: unknown, _arguments: unknown, { db }: Context): Promise<ProductTemplate[]> =>
    listProductTemplates(db)
}
