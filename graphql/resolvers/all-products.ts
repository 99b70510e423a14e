import { GraphQLError, type GraphQLResolveInfo, locatedError } from 'graphql'
import type { PlannedFilter } from '../../db/templates/read/consistent.ts'
import { type ListedTemplate, type ListRequest, readList } from '../../db/templates/read/list.ts'
import { defaultOrder, type TemplateOrder } from '../../db/templates/read/order.ts'
import type { Context } from '../execute.ts'
import { isLong, itemsAtOnce, writeField, writeFields } from '../execution/json.ts'
import type { Operation } from '../execution/operation.ts'
import {
  compileFields,
  countLongFields,
  type FieldReaders,
  readObject,
  selectedFields
} from '../execution/selection.ts'
import { inRange } from '../input/paging.ts'
import type { FilterInput } from '../input/where.ts'
import { completeTemplate } from './product-template.ts'

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
    const fields = compileFields(context, info, completeTemplate)
    const planned = await plans.plan(where, order)
    const request = {
      order,
      limit: inRange('limit', limit),
      offset: inRange('offset', offset),
      fields: selectedFields(info)
    }
    const { data, made } = countLongFields(info)
    if (data > 1 || made > 1) await checkSize(operation, planned, request, { data, made })
    const atOnce = Math.ceil(itemsAtOnce / Math.max(1, data + made))
    const json = writeField(operation, info)
    let count = 0
    await readList(db, planned, request, operation, async templates => {
      const [first] = templates
      try {
        if (!first || !isLong(first.data))
          return await json.addItems(templates, count, template => readObject(fields, template), atOnce)
        json.add(count > 0 ? ',' : '[')
        await json.addPieces(writeFields(fields, first))
      } catch (error) {
        throw locate(error, info, fields, templates, count)
      } finally {
        count += templates.length
      }
    })
    json.endList(count)
    return []
  })
}

/** Reads the sizes of the documents, and refuses the list if the result would be too large with its repeated long fields. */
async function checkSize(
  operation: Operation,
  planned: PlannedFilter,
  request: ListRequest,
  repeated: { data: number; made: number }
): Promise<void> {
  let size = 0
  const sizes = { ...request, fields: new Set(['size'] as const) }
  await readList(operation.db, planned, sizes, operation, async templates => {
    for (const template of templates) size += template.size ?? 0
  })
  operation.expect(repeated.data * size)
  operation.spend(repeated.made * size * costPerWrittenByte)
}

/** Adds the location in the response to an error, as the executor would. The templates come after `count` others. */
function locate(
  error: unknown,
  { fieldNodes, path }: GraphQLResolveInfo,
  fields: FieldReaders,
  templates: ListedTemplate[],
  count: number
): unknown {
  if (error instanceof GraphQLError && error.extensions.code !== undefined) return error
  for (const [index, template] of templates.entries())
    for (const { name, read } of fields) {
      try {
        read(template)
      } catch (again) {
        return locatedError(again, fieldNodes, [path.key, count + index, name])
      }
    }
  return error
}
