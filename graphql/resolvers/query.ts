import type { GraphQLResolveInfo } from 'graphql'
import { findProductTemplate, listProductTemplates } from '../../db/repositories/product-templates.ts'
import { listFacets } from '../../db/repositories/template-facets.ts'
import type { TemplateOrder } from '../../db/repositories/template-pages.ts'
import type { Context } from '../context.ts'
import { inRange } from '../range.ts'
import { selectsDocument } from '../selection.ts'
import { toFilter } from '../where.ts'
import { products } from './products.ts'

type Input = { [name: string]: unknown } | null

interface ListArguments {
  where?: Input
  orderBy?: TemplateOrder | null
  limit?: number | null
  offset?: number | null
}

interface FacetArguments {
  where?: Input
  types?: string[] | null
  first?: number | null
}

/** Values of a trait that one query may ask for. */
const mostValues = 100

export const Query = {
  allProducts: (
    _root: unknown,
    { where, orderBy, limit, offset }: ListArguments,
    { db }: Context,
    info: GraphQLResolveInfo
  ) =>
    listProductTemplates(db, {
      where: toFilter(where),
      order: orderBy ?? undefined,
      limit: inRange('limit', limit),
      offset: inRange('offset', offset),
      withData: selectsDocument(info)
    }),

  product: (_root: unknown, { id }: { id: number }, { db }: Context, info: GraphQLResolveInfo) =>
    findProductTemplate(db, id, selectsDocument(info)),

  products,

  traits: (_root: unknown, { where, types, first }: FacetArguments, { db }: Context) =>
    listFacets(db, {
      where: where ? toFilter(where) : undefined,
      types: types ?? undefined,
      first: inRange('first', first, mostValues) ?? 10
    })
}
