import { type RawBuilder, sql } from 'kysely'

/** Selects these numbers. One statement serves any number of them. */
export const selectNumbers = (numbers: ArrayLike<number>): RawBuilder<number> =>
  sql`select value from json_each(${`[${Array.prototype.join.call(numbers)}]`})`
