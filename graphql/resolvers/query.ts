import type { GraphQLResolveInfo } from 'graphql'
import { listFacets } from '../../db/templates/facets.ts'
import { lookUpCost } from '../../db/templates/meter.ts'
import { findProductTemplate } from '../../db/templates/product-templates.ts'
import type { Context } from '../context.ts'
import { inRange } from '../range.ts'
import { selectsDocument } from '../selection.ts'
import { badInput, type FilterInput } from '../where.ts'
import { allProducts } from './all-products.ts'
import { products } from './products.ts'

interface FacetArguments {
  where?: FilterInput | null
  types?: string[] | null
  first?: number | null
}

/** Values per trait, and traits by name, in one query. */
const maxValues = 100
const maxTypes = 100

export const Query = {
  allProducts,

  product: (_root: unknown, { id }: { id: number }, { db, operation }: Context, info: GraphQLResolveInfo) =>
    operation.evaluate(async () => {
      operation.spend(lookUpCost)
      const template = await findProductTemplate(db, id, selectsDocument(info))
      if (template) operation.countText([template])
      return template
    }),

  products,

  traits: (_root: unknown, { where, types, first }: FacetArguments, { db, operation }: Context) =>
    operation.evaluate(async () => {
      if (types && types.length > maxTypes) throw badInput(`types has more than ${maxTypes} names`)
      const request = { types: types ?? undefined, first: inRange('first', first, maxValues) ?? 10 }
      await operation.ensureIndexed()
      return listFacets(db, await operation.plan(where), request, operation)
    })
}
