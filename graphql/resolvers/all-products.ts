import {
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  locatedError
} from 'graphql'
import { readList } from '../../db/templates/lists.ts'
import { defaultOrder, type TemplateOrder } from '../../db/templates/order.ts'
import type { ProductTemplate } from '../../db/templates/product-templates.ts'
import type { Context } from '../context.ts'
import type { Operation } from '../operation.ts'
import { inRange } from '../range.ts'
import { selectsDocument } from '../selection.ts'
import type { FilterInput } from '../where.ts'
import { compileFields, type WriteField, writeObject } from '../writer.ts'

interface ListArguments {
  where?: FilterInput | null
  orderBy?: TemplateOrder | null
  limit?: number | null
  offset?: number | null
}

/** Characters of JSON converted to bytes at a time. */
const chunkLength = 2 ** 18
/** A document with more characters is written field by field, with a turn of the event loop after each. */
const longDocument = 2 ** 15

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
    const plan = await operation.plan(where, order)
    const request = {
      order,
      limit: inRange('limit', limit),
      offset: inRange('offset', offset),
      withData: selectsDocument(info)
    }
    const type = getNamedType(info.returnType) as GraphQLObjectType
    const fields = compileFields(type, info.fieldNodes, { ...context, written: true }, info)
    const list: Buffer[] = []
    operation.lists.set(String(info.path.key), list)
    let written = 0
    await readList(db, plan, request, operation, async templates => {
      try {
        await writeTemplates(operation, list, fields, templates)
      } catch (error) {
        throw locate(error, info, fields, templates, written)
      }
      written += templates.length
    })
    return []
  })
}

/** Adds the location in the response to an error, as the executor would. */
function locate(
  error: unknown,
  { fieldNodes, path }: GraphQLResolveInfo,
  fields: Map<string, WriteField>,
  templates: ProductTemplate[],
  written: number
): unknown {
  if (error instanceof GraphQLError && error.extensions.code !== undefined) return error
  for (const [index, template] of templates.entries()) {
    for (const [key, write] of fields) {
      try {
        write(template)
      } catch (again) {
        return locatedError(again, fieldNodes, [path.key, written + index, key])
      }
    }
  }
  return error
}

async function writeTemplates(
  operation: Operation,
  list: Buffer[],
  fields: Map<string, WriteField>,
  templates: ProductTemplate[]
): Promise<void> {
  let text = ''
  const flush = () => {
    if (text !== '') operation.write(list, text)
    text = ''
  }
  for (const template of templates) {
    if (text !== '' || list.length > 0) text += ','
    if (!template.data || template.data.length <= longDocument) text += writeObject(fields, template)
    else {
      let begin = '{'
      for (const field of fields.values()) {
        text += begin + field(template)
        begin = ','
        if (text.length > chunkLength) flush()
        await operation.turn()
      }
      text += '}'
    }
    if (text.length <= chunkLength) continue
    flush()
    await operation.turn()
  }
  flush()
}
