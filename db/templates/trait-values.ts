import { type RawBuilder, sql } from 'kysely'
import { engineOf } from '../dialects/engine.ts'
import type { Db } from '../schema.ts'
import { oneOf } from './one-of.ts'

/** A value of a trait in the index. */
export interface TraitValue {
  key: string
  /** Formatted for display. */
  text: string
  /** Number of templates with this value. */
  count: number
}

/** Selects the names of all traits in order. It skips from name to name, because names are few and entries many. */
export const selectTraitTypes = (): RawBuilder<{ type: string }> => sql`
  with recursive names (type) as (
    select min(type) from product_trait
    union all
    select (select min(type) from product_trait where type > names.type) from names where names.type is not null
  )
  select type from names where type is not null`

/** Selects the most frequent values of a trait, optionally among some templates; ties are ordered by text. */
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

/** Counts the entries of traits of a few templates, up to a limit. */
export const countEntries = (db: Db, among: Int32Array, limit: number): RawBuilder<{ count: number }> => sql`
  select count(*) as count from (
    select 1 from ${engineOf(db).traitsByTemplate} where template_id in (${engineOf(db).listIds(among)}) limit ${limit}
  ) as entries`

/** Selects the values of traits among a few templates: by trait, then as {@link selectTraitValues}. */
export function selectValuesAmongFew(
  db: Db,
  types: string[] | undefined,
  first: number,
  among: Int32Array
): RawBuilder<TraitValue & { type: string }> {
  const engine = engineOf(db)
  const ofTypes = types ? sql`and ${oneOf(sql.ref('type'), types)}` : sql``
  const counted = sql`
    select type, key, ${engine.sameInGroup(sql.ref('value'))} as text, count(distinct template_id) as count
    from ${engine.traitsByTemplate} where template_id in (${engine.listIds(among)}) and value is not null ${ofTypes}
    group by type, key`
  return sql`
    select type, key, text, count from (
      select *, row_number() over (partition by type order by count desc, text) as place from (${counted}) as counted
    ) as placed where place <= ${first} order by type, place`
}
