import { type RawBuilder, sql } from 'kysely'

/** Selects these numbers. One statement serves any number of them. */
export const selectNumbers = (numbers: ArrayLike<number>): RawBuilder<number> =>
  sql`select unnest(${toArray(numbers)}::integer[])`

/** Numbers as the text of an array. */
export const toArray = (numbers: ArrayLike<number>): string => `{${Array.prototype.join.call(numbers)}}`
