import { type FacetField, type FieldFacet, listFieldFacets } from '../../db/templates/facets/fields.ts'
import type { FilterInput } from '../../db/templates/filter/input.ts'
import type { Context } from '../execute.ts'
import { inRange, sizes } from '../paging.ts'

interface FieldFacetArguments {
  where?: FilterInput | null
  fields: FacetField[]
  first?: number | null
}

export function facets(
  _root: unknown,
  { where, fields, first }: FieldFacetArguments,
  { operation, reading }: Context
): Promise<FieldFacet[]> {
  return operation.evaluate(async () => {
    const request = { fields, first: inRange('first', first, sizes.values.max) ?? sizes.values.default }
    return listFieldFacets(reading.db, await reading.plans.plan(where), request, operation)
  })
}
