import { GraphQLError, type GraphQLResolveInfo, locatedError } from 'graphql'
import type { PlannedFilter } from '../../db/templates/read/consistent.ts'
import { type ListedTemplate, type ListRequest, readList } from '../../db/templates/read/list.ts'
import { defaultOrder, type TemplateOrder } from '../../db/templates/read/order.ts'
import type { Context } from '../execute.ts'
import { isLong, writeField } from '../execution/json.ts'
import type { Operation } from '../execution/operation.ts'
import { countLongFields, selectedFields } from '../execution/selection.ts'
import { compileItemWriter, type ObjectWriter } from '../execution/writer.ts'
import { inRange } from '../input/paging.ts'
import type { FilterInput } from '../input/where.ts'

interface ListArguments {
  where?: FilterInput | null
  orderBy?: TemplateOrder | null
  limit?: number | null
  offset?: number | null
}

/** Cost of writing what is made from a document. */
const costPerWrittenByte = 1 / 1024

/**
 * Writes the list directly into the result, because it may be long. The executor would hold all of it as objects, so it
 * gets an empty list instead.
 */
export function allProducts(
  _root: unknown,
  { where, orderBy, limit, offset }: ListArguments,
  context: Context,
  info: GraphQLResolveInfo
): Promise<[]> {
  const { db, operation, plans } = context
  return operation.evaluate(async () => {
    const order = orderBy ?? defaultOrder
    const writer = compileItemWriter({ ...context, written: true }, info)
    const planned = await plans.plan(where, order)
    const request = {
      order,
      limit: inRange('limit', limit),
      offset: inRange('offset', offset),
      fields: selectedFields(info)
    }
    await checkRepeatedFields(operation, planned, request, info)
    const json = writeField(operation, info)
    json.add('[')
    let count = 0
    await readList(db, planned, request, operation, async templates => {
      for (const template of templates) {
        if (count > 0) json.add(',')
        try {
          if (isLong(template.data)) await json.addPieces(writer.writePieces(template))
          else json.add(writer.write(template))
        } catch (error) {
          throw locate(error, info, writer, template, count)
        }
        await json.flushIfFull()
        count++
      }
    })
    json.add(']')
    json.end()
    return []
  })
}

/**
 * Refuses a list whose long fields are repeated, if the result would be too large. Reads only the sizes of the documents for
 * this. Throws RESULT_TOO_LARGE or COST_LIMIT.
 */
async function checkRepeatedFields(
  operation: Operation,
  planned: PlannedFilter,
  request: ListRequest,
  info: GraphQLResolveInfo
): Promise<void> {
  const { data, made } = countLongFields(info)
  if (data < 2 && made < 2) return
  let size = 0
  const sizes = { ...request, fields: new Set(['size'] as const) }
  await readList(operation.db, planned, sizes, operation, async templates => {
    for (const template of templates) size += template.size ?? 0
  })
  operation.expect(data * size)
  operation.spend(made * size * costPerWrittenByte)
}

/** Adds the location in the response to an error, as the executor would. */
function locate(
  error: unknown,
  { fieldNodes, path }: GraphQLResolveInfo,
  { fields }: ObjectWriter,
  template: ListedTemplate,
  index: number
): unknown {
  if (error instanceof GraphQLError && error.extensions.code !== undefined) return error
  for (const { name, write } of fields) {
    try {
      write(template)
    } catch (again) {
      return locatedError(again, fieldNodes, [path.key, index, name])
    }
  }
  return error
}
