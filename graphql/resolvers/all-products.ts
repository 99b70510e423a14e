import {
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  locatedError
} from 'graphql'
import { type ListedTemplate, readList } from '../../db/templates/lists.ts'
import { defaultOrder, type TemplateOrder } from '../../db/templates/order.ts'
import type { ProductTemplate, TemplateFields } from '../../db/templates/product-templates.ts'
import { isStamped, stampFields, type TemplateStamp } from '../../db/templates/stamp.ts'
import type { Context } from '../context.ts'
import { inRange } from '../range.ts'
import { selectedFields } from '../selection.ts'
import type { Pieces } from '../template-pieces.ts'
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
    const plan = await operation.plan(where, order)
    const selected = selectedFields(info)
    // Without documents, a template is written as fast as it is found.
    const pieces = selected.has('data') ? context.pieces.open(writer.selection) : undefined
    const request = {
      order,
      limit: inRange('limit', limit),
      offset: inRange('offset', offset),
      version: operation.version,
      ...toReading(selected, pieces)
    }
    const json = addText(operation, info)
    json.add('[')
    const ids = new Set<number>()
    let written = 0
    const receive = async (templates: ListedTemplate[]) => {
      for (const template of templates) {
        const isFirst = written === 0
        try {
          if (template.recalled) json.addKept(withComma(template.recalled, isFirst))
          else if (isLong(template.data)) {
            if (!isFirst) json.add(',')
            await json.addPieces(writer.writePieces(template))
          } else if (pieces && isStamped(template)) {
            const piece = pieces.find(template) ?? pieces.add(template, writer.write(template))
            json.addKept(withComma(piece, isFirst))
          } else json.add((isFirst ? '' : ',') + writer.write(template))
          if (json.isFull) await json.flush()
        } catch (error) {
          throw locate(error, info, writer, template, written)
        }
        if (pieces) ids.add(template.id)
        written++
      }
    }
    try {
      await readList(db, plan, request, operation, receive)
      if (plan.strategy === 'all' && request.limit === undefined && !request.offset) pieces?.retain(ids)
    } finally {
      if (pieces) context.pieces.close(writer.selection, pieces)
    }
    json.add(']')
    json.end()
    return []
  })
}

/** What to read of a template: with pieces also its stamp, by which it is recalled. */
const toReading = (selected: TemplateFields, pieces: Pieces | undefined) =>
  pieces
    ? {
        fields: new Set([...selected, ...stampFields]),
        recall: pieces.isEmpty ? undefined : (stamp: TemplateStamp) => pieces.find(stamp)
      }
    : { fields: selected }

/** A piece begins with a comma, which the first one of a list does not have. */
const withComma = (piece: Buffer, isFirst: boolean): Buffer => (isFirst ? piece.subarray(1) : piece)

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
