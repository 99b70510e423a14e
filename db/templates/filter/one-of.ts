import { type Expression, type SqlBool, sql } from 'kysely'

/** Tests whether a value is in a list. PostgreSQL does not allow `in ()`. */
export const oneOf = (value: Expression<unknown>, list: unknown[]): Expression<SqlBool> =>
  list.length === 0 ? sql`1 = 0` : sql`${value} in (${sql.join(list)})`
