import type { GraphQLResolveInfo } from 'graphql'
import { lookUpCost } from '../../db/templates/meter.ts'
import { findProductTemplate } from '../../db/templates/product-templates.ts'
import type { Context } from '../context.ts'
import { selectedFields } from '../selection.ts'
import { allProducts } from './all-products.ts'
import { products } from './products.ts'
import { traits } from './traits.ts'

export const Query = {
  allProducts,

  product: (_root: unknown, { id }: { id: number }, { db, operation }: Context, info: GraphQLResolveInfo) =>
    operation.evaluate(async () => {
      operation.spend(lookUpCost)
      const template = await findProductTemplate(db, id, selectedFields(info))
      if (template) operation.countText([template])
      return template
    }),

  products,

  traits
}
