import { type RawBuilder, sql } from 'kysely'
import { engineOf } from '../dialects/engine.ts'
import type { Db } from '../schema.ts'

/** A value of a trait as the index has it. */
export interface TraitValue {
  key: string
  /** As it is displayed. */
  text: string
  /** Templates that have it. */
  count: number
}

/** A query of the names of all traits, in order: from one name to the next, since names are few and entries many. */
export const selectTraitTypes = (): RawBuilder<{ type: string }> => sql`
  with recursive names (type) as (
    select min(type) from product_trait
    union all
    select (select min(type) from product_trait where type > names.type) from names where names.type is not null
  )
  select type from names where type is not null`

/** A query of a trait's most frequent values, of two as frequent the lesser text first; among some templates only. */
export function selectTraitValues(
  db: Db,
  type: string,
  first: number,
  among: Int32Array | undefined
): RawBuilder<TraitValue> {
  const engine = engineOf(db)
  const within = among ? sql`and template_id in (${engine.listIds(among)})` : sql``
  return sql`
    select key, ${engine.sameInGroup(sql.ref('value'))} as text, count(distinct template_id) as count
    from product_trait where type = ${type} and value is not null ${within}
    group by key order by count desc, text limit ${first}`
}
