import { type FacetField, type FieldFacet, listFieldFacets } from '../../db/templates/facets/fields.ts'
import type { Context } from '../execute.ts'
import { inRange, type ListArguments, sizes } from '../paging.ts'

export function facets(
  _root: unknown,
  { where, fields, first }: ListArguments & { fields: FacetField[] },
  { operation, reading }: Context
): Promise<FieldFacet[]> {
  return operation.evaluate(async () => {
    const request = { fields, first: inRange('first', first, sizes.values.max) ?? sizes.values.default }
    return listFieldFacets(reading.db, await reading.plan(where), request, operation)
  })
}
