import { type GraphQLObjectType, type GraphQLResolveInfo, getNamedType } from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'
import type { PlannedFilter } from '../db/templates/read/consistent.ts'
import { readList } from '../db/templates/read/lists.ts'
import type { SliceRequest } from '../db/templates/read/slices.ts'
import type { Context } from './context.ts'
import { findNodes } from './selection.ts'

/** Cost of writing a document with its attributes. */
const costPerWrittenByte = 1 / 1024

/**
 * Refuses a list that selects `data` or the attributes of `document` several times, if the result would be too large.
 * Reads only the sizes of the documents for this. Throws RESULT_TOO_LARGE or COST_LIMIT.
 */
export async function checkRepeatedDocuments(
  { db, operation }: Context,
  planned: PlannedFilter,
  { order, limit, offset }: SliceRequest,
  info: GraphQLResolveInfo
): Promise<void> {
  const { data, documents } = countDocuments(info)
  if (data < 2 && documents < 2) return
  let size = 0
  const request = { order, limit, offset, fields: new Set(['size'] as const) }
  await readList(db, planned, request, operation, async templates => {
    for (const template of templates) size += template.size ?? 0
  })
  operation.expect(data * size)
  operation.spend(documents * size * costPerWrittenByte)
}

/** Counts the aliases of `data`, and those of `document` with attributes. */
function countDocuments({ schema, fragments, variableValues, returnType, fieldNodes }: GraphQLResolveInfo) {
  const type = getNamedType(returnType) as GraphQLObjectType
  const selected = [...collectSubfields(schema, fragments, variableValues, type, fieldNodes).values()]
  const named = (name: string) => selected.filter(([node]) => node?.name.value === name)
  const hasAttributes = (fieldNodes: (typeof selected)[number]) =>
    findNodes({ fieldNodes, fragments }).some(({ name }) => name.value === 'attributes')
  return { data: named('data').length, documents: named('document').filter(hasAttributes).length }
}
