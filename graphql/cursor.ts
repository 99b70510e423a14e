import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { storable } from '../db/templates/filter/trait-key.ts'
import type { Position, TemplateOrder } from '../db/templates/read/order.ts'
import { badInput, toStoredTime } from './where.ts'

/** Order field, order direction, sort key, id. */
const Cursor = Compile(
  Type.Tuple([
    Type.String(),
    Type.String(),
    Type.Union([Type.String(), Type.Integer()]),
    Type.Integer({ minimum: 0, maximum: 2_147_483_647 })
  ])
)

export const toCursor = ({ field, direction }: TemplateOrder, { key, id }: Position): string =>
  Buffer.from(JSON.stringify([field, direction, key, id])).toString('base64url')

/** Parses a cursor; null counts as absent. Throws BAD_USER_INPUT if it is invalid or belongs to another order. */
export function fromCursor(cursor: string | null | undefined, order: TemplateOrder): Position | undefined {
  if (cursor === null || cursor === undefined) return undefined
  const parsed = parse(cursor)
  if (!Cursor.Check(parsed)) throw badInput('the cursor is not valid')
  const [field, direction, key, id] = parsed
  if (field !== order.field || direction !== order.direction)
    throw badInput('the cursor belongs to another orderBy')
  if (!isSortKey(order, key)) throw badInput('the cursor is not valid')
  return { key, id }
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}

function isSortKey({ field }: TemplateOrder, key: string | number): boolean {
  if (field === 'ID') return typeof key === 'number' && Math.abs(key) <= 2_147_483_647
  if (typeof key !== 'string') return false
  return field === 'NAME' ? key === storable(key) : key === toStoredTime(key)
}
