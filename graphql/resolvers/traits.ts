import type { GraphQLResolveInfo } from 'graphql'
import { listFacets } from '../../db/templates/facets/facets.ts'
import { badInput } from '../errors.ts'
import type { Context } from '../execute.ts'
import { compileFields } from '../execution/compile.ts'
import { writeList } from '../execution/json.ts'
import { isSelected } from '../execution/selection.ts'
import { inRange, type ListArguments, sizes } from '../paging.ts'

/** Traits by name in one query. */
const maxTypes = 100

/** Writes the list directly into the result, like `allProducts`: a store may have thousands of traits. */
export function traits(
  _root: unknown,
  { where, types, first }: ListArguments & { types?: string[] | null },
  context: Context,
  info: GraphQLResolveInfo
): Promise<[]> {
  const { operation, reading } = context
  return operation.evaluate(async () => {
    if (types && types.length > maxTypes) throw badInput(`types has more than ${maxTypes} names`)
    const request = {
      types: types ?? undefined,
      first: inRange('first', first, sizes.values.max) ?? sizes.values.default,
      numbers: isSelected(info, 'numbers')
    }
    const fields = compileFields(context, info)
    const facets = await listFacets(reading.db, await reading.plan(where), request, operation)
    return writeList(operation, info, fields, [facets])
  })
}
