import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Tests whether an entry of `product_trait` has a type. Of two types, the first that exists in the store counts. */
export function isOfType([type, other]: string[]): RawBuilder<SqlBool> {
  const id = sql`(select id from product_trait_type where type = ${type})`
  if (other === undefined) return sql`type_id = ${id}`
  return sql`type_id = coalesce(${id}, (select id from product_trait_type where type = ${other}))`
}
