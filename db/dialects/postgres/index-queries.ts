/** Queries of the index: of traits, and of words. */
import { hash } from 'node:crypto'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import {
  type EntryCondition,
  isInBounds,
  isOfType,
  kinds,
  maxIndexedTextLength,
  shownKinds,
  type Traits,
  type WordSearch
} from '../template-index.ts'

/** Writes numbers as the text of an array. */
export const toArray = (numbers: ArrayLike<number>): string => `{${Array.prototype.join.call(numbers)}}`

/** Selects these numbers. The text of the statement is the same for any number of them. */
const selectNumbers = (numbers: ArrayLike<number>): RawBuilder<number> =>
  sql`select unnest(${toArray(numbers)}::integer[])`

/** Returns the indexed form of a key. A long key is truncated to fit, and gets a small first letter. */
export function toIndexedKey(key: string): string {
  if (!isLongKey(key)) return key
  return `${key[0]?.toLowerCase()}${key.slice(1, maxIndexedTextLength).toWellFormed()}${hash('sha256', key)}`
}

export const isLongKey = (key: string): boolean => key.length > maxIndexedTextLength + 1

/** Templates whose entries are looked up. For more templates, scanning all entries of the trait is faster. */
const maxTemplatesToLookUp = 5000

const hasKey = (keys: string[]): RawBuilder<SqlBool> => sql`key = any(${keys.map(toIndexedKey)}::text[])`

/** Converts a condition to alternatives. An entry must meet one of them. The empty condition has no alternatives. */
function toAlternatives({ keys, part, bounds, dates }: EntryCondition): RawBuilder<unknown>[] {
  if (keys) return [hasKey(keys)]
  if (bounds) return [sql`${isShown} and ${isInBounds(numberIn(sql`substr(key, 2)`), bounds)}`]
  if (dates) return [sql`${isShown} and ${isInBounds(dateIn, dates)}`]
  return part === undefined ? [] : hasPart(part)
}

const isShown = sql<SqlBool>`key >= ${sql.lit(shownKinds[0])}`

const numberIn = (text: Expression<string | null>): RawBuilder<number | null> =>
  sql`case when (length(${text}) <= 15 or ${text} ~ '^-?[0-9]{1,16}$') and ${text} ~ '^-?[0-9]+([.][0-9]+|,[0-9]{1,2})?$'
    then replace(${text}, ',', '.')::float8 end`

const dateIn = sql<string | null>`case when substr(key, 2) ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T|$)'
  then substr(key, 2, 10) end`

/** The entry is an equal element, a string with this part, or a string with this part that the index has truncated. */
const hasPart = (part: string): RawBuilder<unknown>[] => [
  hasKey([kinds.ELEMENT + part]),
  sql`key >= 'S' and key < 'T' and strpos(substr(key, 2), ${part}) > 0`,
  sql`key >= 's' and key < 't' and strpos(value, ${part}) > 0`
]

/**
 * The planner assumes that any list is short. For a long list, the expression `template_id + 0` prevents it from
 * looking up each number, and the array becomes a hash table once, not once for each kind of value.
 */
function isAmong(among: Int32Array | RawBuilder<number> | undefined): RawBuilder<unknown> {
  if (!among) return sql``
  if (!(among instanceof Int32Array)) return sql`and template_id in (${among})`
  return among.length > maxTemplatesToLookUp
    ? sql`and template_id + 0 = any(${toArray(among)}::integer[])`
    : sql`and template_id in (${selectNumbers(among)})`
}

const count = sql`count(*) as count`

/** The first letters of the indexed keys that facets show: long keys have small letters. */
const firstLetters = shownKinds.flatMap(kind => [kind, kind.toLowerCase()])

/** Traits on PostgreSQL. The index on trait, key and template answers most queries alone. */
export const postgresTraits: Traits = {
  test(type, condition) {
    const alternatives = toAlternatives(condition)
    const matching = alternatives.length > 0 ? sql`and (${sql.join(alternatives, sql` or `)})` : sql``
    return sql`(select 1 from product_trait
      where ${isOfType(type)} and template_id = product_template.id ${matching} limit 1) is not null`
  },

  find(type, condition) {
    const all = sql<number>`select template_id from product_trait where ${isOfType(type)}`
    const alternatives = toAlternatives(condition)
    if (alternatives.length === 0) return all
    const selections = alternatives.map(alternative => sql`${all} and ${alternative}`)
    return sql.join(selections, sql` union all `)
  },

  selectValues(type, first, among) {
    const within = isAmong(among)
    // Keys of one kind sort like their texts, so the texts are not needed to order them. Only values that are shown are
    // read from the table.
    return sql`with frequent as (
        select key, count from unnest(${firstLetters}::text[]) as kind cross join lateral (
          select key, ${count} from product_trait
          where ${isOfType(type)} and key >= kind and key < chr(ascii(kind) + 1) ${within}
          group by key order by count desc, key limit ${first}
        ) as frequent_of_kind order by count desc, substr(key, 2), key limit ${first}
      )
      select key, coalesce((select value from product_trait
        where ${isOfType(type)} and product_trait.key = frequent.key limit 1), substr(key, 2)) as text, count
      from frequent order by count desc, text, key`
  },

  selectValuesOf(ids, first, types) {
    const ofTypes = types ? sql`and type = any(${types}::text[])` : sql``
    return sql`select type, key, text, count from (
        select *, row_number() over (partition by type order by count desc, text, key) as place from (
          select type, key, coalesce(min(value), substr(key, 2)) as text, ${count}
          from product_trait join product_trait_type on product_trait_type.id = type_id
          where template_id in (${selectNumbers(ids)}) and key >= ${shownKinds[0]} ${ofTypes} group by type, key
        ) as counted
      ) as placed where place <= ${first} order by type, place`
  },

  shownEntries: (type, among) => sql`product_trait where ${isOfType(type)} and ${isShown} ${isAmong(among)}`,
  numberIn,
  storedKey: toIndexedKey
}

/** Search in a tsvector of our own terms, without PostgreSQL's parser. */
export const postgresSearch: WordSearch = {
  // Not `exists`, which PostgreSQL may evaluate for all templates at once.
  matches: (id, terms) =>
    sql`coalesce((select terms @@ ${tsquery(terms)}::tsquery from product_search where template_id = ${id}), false)`,
  ids: terms => sql`select template_id from product_search where terms @@ ${tsquery(terms)}::tsquery`,
  selectExisting: words => sql`select word from unnest(${words}::text[]) as word where (
      select 1 from product_search where terms @@ (quote_literal(word) || ':*')::tsquery limit 1
    ) is not null`,
  // With the extension pg_trgm, this uses the index of trigrams.
  namedLike: part => sql`select id from product_template where name_folded like ${`%${escapeLike(part)}%`}`
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

const tsquery = (terms: string[]): string => terms.map(term => `'${term}':*`).join(' & ')
