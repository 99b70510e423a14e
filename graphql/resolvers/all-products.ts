import type { GraphQLResolveInfo } from 'graphql'
import { readList } from '../../db/templates/read/list.ts'
import type { Context } from '../execute.ts'
import { compileFields } from '../execution/compile.ts'
import { writeList } from '../execution/json.ts'
import { selectedFields } from '../execution/selection.ts'
import { inRange, type ListArguments, readOrder } from '../paging.ts'
import { completeTemplate } from './product-template.ts'

/** Writes the list directly into the result, because it may be long. */
export function allProducts(
  _root: unknown,
  { where, orderBy, limit, offset }: ListArguments,
  context: Context,
  info: GraphQLResolveInfo
): Promise<[]> {
  const { operation, reading } = context
  return operation.evaluate(async () => {
    const order = readOrder(orderBy)
    const fields = compileFields(context, info, completeTemplate)
    const plan = await reading.plan(where)
    const request = {
      order,
      limit: inRange('limit', limit),
      offset: inRange('offset', offset),
      fields: selectedFields(info)
    }
    return writeList(operation, info, fields, readList(reading.db, plan, request, operation))
  })
}
