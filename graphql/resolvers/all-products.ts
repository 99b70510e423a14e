import {
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  locatedError
} from 'graphql'
import { readList } from '../../db/templates/read/lists.ts'
import { defaultOrder, type TemplateOrder } from '../../db/templates/read/order.ts'
import type { ProductTemplate } from '../../db/templates/table/product-templates.ts'
import type { Context } from '../context.ts'
import { inRange } from '../range.ts'
import { checkRepeatedDocuments } from '../repeated-documents.ts'
import { selectedFields } from '../selection.ts'
import type { FilterInput } from '../where.ts'
import { compileWriter, type ObjectWriter } from '../writer.ts'
import { addText, isLong } from '../written.ts'

interface ListArguments {
  where?: FilterInput | null
  orderBy?: TemplateOrder | null
  limit?: number | null
  offset?: number | null
}

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
  const { db, operation } = context
  return operation.evaluate(async () => {
    const order = orderBy ?? defaultOrder
    const type = getNamedType(info.returnType) as GraphQLObjectType
    const writer = compileWriter(type, info.fieldNodes, { ...context, written: true }, info)
    const planned = await operation.plan(where, order)
    const request = {
      order,
      limit: inRange('limit', limit),
      offset: inRange('offset', offset),
      fields: selectedFields(info)
    }
    await checkRepeatedDocuments(context, planned, request, info)
    const json = addText(operation, info)
    json.add('[')
    let written = 0
    const receive = async (templates: ProductTemplate[]) => {
      for (const template of templates) {
        try {
          if (written > 0) json.add(',')
          if (isLong(template.data)) await json.addPieces(writer.writePieces(template))
          else json.add(writer.write(template))
          if (json.isFull) await json.flush()
        } catch (error) {
          throw locate(error, info, writer, template, written)
        }
        written++
      }
    }
    await readList(db, planned, request, operation, receive)
    json.add(']')
    json.end()
    return []
  })
}

/** Adds the location in the response to an error, as the executor would. */
function locate(
  error: unknown,
  { fieldNodes, path }: GraphQLResolveInfo,
  { fields }: ObjectWriter,
  template: ProductTemplate,
  index: number
): unknown {
  if (error instanceof GraphQLError && error.extensions.code !== undefined) return error
  for (const { key, read, value } of fields) {
    try {
      value.write(read(template))
    } catch (again) {
      return locatedError(again, fieldNodes, [path.key, index, key])
    }
  }
  return error
}
