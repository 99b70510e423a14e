import type { GraphQLResolveInfo } from 'graphql'
import { listFacets } from '../../db/templates/facets.ts'
import type { TemplateOrder } from '../../db/templates/pages.ts'
import { findProductTemplate, listProductTemplates } from '../../db/templates/product-templates.ts'
import type { Context } from '../context.ts'
import { inRange } from '../range.ts'
import { selectsDocument } from '../selection.ts'
import { badInput, toFilter } from '../where.ts'
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

/** Values per trait, and trait names, that one query may request. */
const maxValues = 100
const maxTypes = 100

export const Query = {
  allProducts: async (
    _root: unknown,
    { where, orderBy, limit, offset }: ListArguments,
    { db, budget }: Context,
    info: GraphQLResolveInfo
  ) => {
    const withData = selectsDocument(info)
    const templates = await listProductTemplates(db, {
      where: toFilter(where),
      order: orderBy ?? undefined,
      limit: inRange('limit', limit),
      offset: inRange('offset', offset),
      withData
    })
    if (withData) budget.spend(templates)
    return templates
  },

  product: (_root: unknown, { id }: { id: number }, { db }: Context, info: GraphQLResolveInfo) =>
    findProductTemplate(db, id, selectsDocument(info)),

  products,

  traits: (_root: unknown, { where, types, first }: FacetArguments, { db }: Context) => {
    if (types && types.length > maxTypes) throw badInput(`types has more than ${maxTypes} names`)
    return listFacets(db, {
      where: where ? toFilter(where) : undefined,
      types: types ?? undefined,
      first: inRange('first', first, maxValues) ?? 10
    })
  }
}
