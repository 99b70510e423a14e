import { type RawBuilder, sql } from 'kysely'

/** Selects these numbers. One statement serves any number of them. */
export const selectNumbers = (numbers: ArrayLike<number>): RawBuilder<number> =>
  sql`select unnest(${`{${Array.prototype.join.call(numbers)}}`}::integer[])`
