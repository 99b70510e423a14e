/** The entries of traits, as both engines and the index use them. */
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Bounds } from './interface.ts'

/** The first character of a key, which is the kind of its value. Keys that facets do not show sort before all others. */
export const kinds = {
  ARRAY: '+',
  ABSENT: '-',
  BOOLEAN: 'B',
  ELEMENT: 'E',
  INTEGER: 'I',
  OTHER: 'O',
  STRING: 'S'
} as const

/** The kinds that facets show. They show no absent values, and the elements of a list instead of the list. */
export const shownKinds = [kinds.BOOLEAN, kinds.ELEMENT, kinds.INTEGER, kinds.OTHER, kinds.STRING]

/** Maximum characters of a text in an index. Longer texts are truncated. */
export const longestText = 100

/** Tests whether an entry of `product_trait` has a type. If two types are given, the first one that the store knows counts. */
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
