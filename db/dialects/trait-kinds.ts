/** What the engines and the index have in common about the entries of traits. */
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Bounds } from './interface.ts'

/** The first character of a key: the kind of its value. Keys that facets do not show sort before all others. */
export const kinds = {
  ARRAY: '+',
  ABSENT: '-',
  BOOLEAN: 'B',
  ELEMENT: 'E',
  INTEGER: 'I',
  OTHER: 'O',
  STRING: 'S'
} as const

/** The first characters of the keys that facets show: not of a list, whose elements they show, nor of an absent value. */
export const shownKinds = [kinds.BOOLEAN, kinds.ELEMENT, kinds.INTEGER, kinds.OTHER, kinds.STRING]

/** Characters; longer texts are truncated to fit into an index. */
export const longestText = 100

/** Tests whether an entry of `product_trait` has a type. Of two types, the first that exists in the store counts. */
export function isOfType([type, other]: string[]): RawBuilder<SqlBool> {
  const id = sql`(select id from product_trait_type where type = ${type})`
  if (other === undefined) return sql`type_id = ${id}`
  return sql`type_id = coalesce(${id}, (select id from product_trait_type where type = ${other}))`
}

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** Tests whether a number is within bounds. */
export const isInBounds = (number: Expression<number | null>, bounds: Bounds): RawBuilder<SqlBool> =>
  sql.join(
    Object.entries(bounds).map(
      ([name, bound]) => sql`${number} ${sql.raw(operators[name as keyof Bounds])} ${bound}`
    ),
    sql` and `
  )
