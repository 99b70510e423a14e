import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Position, TemplateOrder } from '../db/templates/pages.ts'
import { storable } from '../db/templates/trait-key.ts'
import { badInput, toStoredTime } from './where.ts'

/** The order it belongs to, and the place in it. */
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

/** Null counts as absent. Throws BAD_USER_INPUT for what is no cursor of this order. */
export function fromCursor(cursor: string | null | undefined, order: TemplateOrder): Position | undefined {
  if (cursor === null || cursor === undefined) return undefined
  const parsed = parse(cursor)
  if (!Cursor.Check(parsed)) throw badInput('not a cursor of ours')
  const [field, direction, key, id] = parsed
  if (field !== order.field || direction !== order.direction)
    throw badInput('the cursor is one of another orderBy')
  if (!isKeyOf(order, key)) throw badInput('not a cursor of ours')
  return { key, id }
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}

function isKeyOf({ field }: TemplateOrder, key: string | number): boolean {
  if (field === 'ID') return typeof key === 'number' && Math.abs(key) <= 2_147_483_647
  if (typeof key !== 'string') return false
  return field === 'NAME' ? key === storable(key) : key === toStoredTime(key)
}
