import { type GraphQLObjectType, type GraphQLResolveInfo, getNamedType } from 'graphql'
import { listFacets } from '../../db/templates/facets/facets.ts'
import { defaultOrder } from '../../db/templates/read/order.ts'
import type { Context } from '../context.ts'
import { inRange, sizes } from '../range.ts'
import { badInput, type FilterInput } from '../where.ts'
import { compileWriter } from '../writer.ts'
import { addText } from '../written.ts'

interface FacetArguments {
  where?: FilterInput | null
  types?: string[] | null
  first?: number | null
}

/** Traits by name in one query. */
const maxTypes = 100

/** Writes the list directly into the result, like `allProducts`: a store may have thousands of traits. */
export function traits(
  _root: unknown,
  { where, types, first }: FacetArguments,
  context: Context,
  info: GraphQLResolveInfo
): Promise<[]> {
  const { operation } = context
  return operation.evaluate(async () => {
    if (types && types.length > maxTypes) throw badInput(`types has more than ${maxTypes} names`)
    const request = {
      types: types ?? undefined,
      first: inRange('first', first, sizes.values.most) ?? sizes.values.usual
    }
    await operation.ensureIndexed()
    const type = getNamedType(info.returnType) as GraphQLObjectType
    const writer = compileWriter(type, info.fieldNodes, context, info)
    const facets = await operation.readMatches(where, defaultOrder, (db, plan) =>
      listFacets(db, plan, request, operation)
    )
    const json = addText(operation, info)
    json.add('[')
    for (const [index, facet] of facets.entries()) {
      json.add((index === 0 ? '' : ',') + writer.write(facet))
      if (json.isFull) await json.flush()
    }
    json.add(']')
    json.end()
    return []
  })
}
