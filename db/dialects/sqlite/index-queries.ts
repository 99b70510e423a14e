/** Queries of the index: of traits, and of words. */
import { hash } from 'node:crypto'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Bounds, isInBounds, isOfType, kinds, type Traits, type WordSearch } from '../template-index.ts'

/**
 * The kinds of values in the order of their keys. The position of a kind is in bits 60 to 62 of a hash, so a new kind
 * requires a new `contentsVersion`.
 */
const ordered = Object.values(kinds).sort().join('')
const leastHashes = Array.from(ordered, (_, place) => BigInt(place) << 60n)

/** Returns the lowest hash of a kind of value. */
const leastHash = (kind: string): bigint => leastHashes[ordered.indexOf(kind)] as bigint

/**
 * Hashes a key. The kind of the value comes first, so that entries of a kind are adjacent. 60 bits of SHA-256 follow.
 * In an index, the number takes less room than the key.
 */
export const hashKey = (key: string): bigint =>
  leastHash(key[0] as string) | BigInt(`0x${hash('sha256', key).slice(0, 15)}`)

/** Tests whether the value of an entry is a string. */
const isString: RawBuilder<SqlBool> = sql`hash >= ${sql.raw(`${leastHash(kinds.STRING)}`)}`

/** Tests whether facets show an entry: it is neither a list nor absent. */
const isShown: RawBuilder<SqlBool> = sql`hash >= ${sql.raw(`${leastHash(kinds.BOOLEAN)}`)}`

/** Selects these numbers. The text of the statement is the same for any number of them. */
export const selectNumbers = (numbers: ArrayLike<number>): RawBuilder<number> =>
  sql`select value from json_each(${`[${Array.prototype.join.call(numbers)}]`})`

/** Templates that are tested one by one. For more templates, scanning all entries of the trait is faster. */
const maxCandidates = 2000
/** Templates whose entries are looked up. For more templates, scanning all entries of the trait is faster. */
const maxTemplatesToLookUp = 5000

const entriesOfTemplate = sql`product_trait indexed by product_trait_template`
const text = sql<string>`substr(key, 2)`

/** The hash finds the entries. The key decides, because two keys may have the same hash. */
const hasKey = (keys: string[]): RawBuilder<SqlBool> =>
  sql`hash in (${sql.join(keys.map(hashKey))}) and key in (${sql.join(keys)})`

const isStringWith = (part: string): RawBuilder<SqlBool> => sql`${isString} and instr(${text}, ${part}) > 0`

function numberIn(text: Expression<string | null>): RawBuilder<number | null> {
  const digits = sql`ltrim(${text}, '-')`
  return sql`case when (length(${text}) <= 15 or (length(${digits}) <= 16 and ${digits} not glob '*[.,]*'))
    and ${digits} glob '[0-9]*' and ${digits} not glob '*[^0-9.,]*'
    and ${text} not glob '--*' and ${text} not glob '*[.,]*[.,]*' and ${text} not glob '*[.,]'
    and (instr(${text}, ',') = 0 or ${text} glob '*,[0-9]' or ${text} glob '*,[0-9][0-9]')
    then cast(replace(${text}, ',', '.') as real) end`
}

const isNumberWithin = (bounds: Bounds<number>): RawBuilder<SqlBool> =>
  sql`${isShown} and ${isInBounds(numberIn(text), bounds)}`

const isDateWithin = (dates: Bounds<string>): RawBuilder<SqlBool> =>
  isInBounds(
    sql<string | null>`case when substr(key, 2, 11) || 'T' glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*'
      then substr(key, 2, 10) end`,
    dates
  )

function shownEntries(type: string, among?: Int32Array | RawBuilder<number>): RawBuilder<unknown> {
  const shown = sql`${isOfType(type)} and ${isShown}`
  if (!among) return sql`product_trait where ${shown}`
  const ids = among instanceof Int32Array ? selectNumbers(among) : among
  return among instanceof Int32Array && among.length > maxTemplatesToLookUp
    ? sql`product_trait where ${shown} and +template_id in (${ids})`
    : sql`${entriesOfTemplate} where ${shown} and template_id in (${ids})`
}

/** Tests whether there are entries. For `exists`, SQLite may begin a join with the entries, which takes long. */
const hasEntries = (entries: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql`(select 1 from ${entries} limit 1) is not null`

/** Traits on SQLite. Entries are ordered by trait and hash, so all entries of a value are in one place. */
export const sqliteTraits: Traits = {
  test(type, { keys, part, bounds, dates }) {
    const entry = sql`${isOfType(type)} and template_id = product_template.id`
    // This index has hashes but no keys. A search in the table itself would copy each long key that it compares.
    if (keys) return hasEntries(sql`${entriesOfTemplate} where ${entry} and ${hasKey(keys)}`)
    if (bounds) return hasEntries(sql`${entriesOfTemplate} where ${entry} and ${isNumberWithin(bounds)}`)
    if (dates) return hasEntries(sql`${entriesOfTemplate} where ${entry} and ${isDateWithin(dates)}`)
    if (part === undefined) return hasEntries(sql`${entriesOfTemplate} where ${entry}`)
    // This uses the key alone: for conditions on the hash, SQLite would read all entries of the template twice.
    const isPart = sql`key >= 'S' and key < 'T' and instr(${text}, ${part}) > 0`
    return hasEntries(
      sql`${entriesOfTemplate} where ${entry} and (key = ${kinds.ELEMENT + part} or ${isPart})`
    )
  },

  find(type, { keys, part, bounds, dates }) {
    const all = sql<number>`select template_id from product_trait where ${isOfType(type)}`
    if (keys) return sql`${all} and ${hasKey(keys)}`
    if (bounds) return sql`${all} and ${isNumberWithin(bounds)}`
    if (dates) return sql`${all} and ${isDateWithin(dates)}`
    if (part === undefined) return all
    return sql`${all} and ${hasKey([kinds.ELEMENT + part])} union all ${findStringWith(type, part)}`
  },

  selectValues(type, first, among) {
    // SQLite allows a column without an aggregate, from any row of the group. min() takes twice as long.
    return sql`select key, ${text} as text, count(*) as count from ${shownEntries(type, among)}
      group by hash order by count desc, text, key limit ${first}`
  },

  selectValuesOf(ids, first, types) {
    const ofTypes = types ? sql`and type in (select value from json_each(${JSON.stringify(types)}))` : sql``
    return sql`select type, key, text, count from (
        select *, row_number() over (partition by type order by count desc, text, key) as place from (
          select type, key, ${text} as text, count(*) as count
          from ${entriesOfTemplate} cross join product_trait_type on product_trait_type.id = type_id
          where template_id in (${selectNumbers(ids)}) and ${isShown} ${ofTypes} group by type, hash
        )
      ) where place <= ${first} order by type, place`
  },

  shownEntries,
  numberIn,
  storedKey: key => key
}

/** Looks up the entries of the candidates by trigrams if they are few. Otherwise scans all entries of the trait. */
function findStringWith(type: string, part: string): RawBuilder<number> {
  const entry = sql`${isOfType(type)} and ${isStringWith(part)}`
  const candidates = selectTrigramMatches('product_search_trait', part)
  if (!candidates) return sql`select template_id from product_trait where ${entry}`
  const counted = sql`(select count(*) as templates from (${candidates} limit ${maxCandidates}))`
  return sql`select template_id from ${counted} cross join product_trait
      where templates >= ${maxCandidates} and ${entry}
    union all
    select template_id from ${counted} cross join (${candidates}) as candidate
      cross join ${entriesOfTemplate}
      where templates < ${maxCandidates} and template_id = candidate.rowid and ${entry}`
}

/** Search by FTS5. Its tokenizer treats characters outside ASCII as letters, so it splits our terms only at spaces. */
export const sqliteSearch: WordSearch = {
  // Tests the text of the row, because FTS5 takes as long for one row as for all.
  matches: (id, terms) => sql`exists (select 1 from product_search where rowid = ${id} and ${inRow(terms)})`,
  ids(terms) {
    if (terms.length === 1)
      return sql`select rowid from product_search where product_search match ${fts5(terms)}`
    // FTS5 reads all rows of a frequent term, even if another term is rare. So only the rarest term is looked up.
    const counted = terms.map(
      term => sql`select ${fts5([term])} as term, (
        select coalesce(sum(doc), 0) from product_search_vocabulary where term >= ${term} and term < ${`${term}\u{10FFFF}`}
      ) as templates`
    )
    return sql`select rowid from product_search, (
        select iif(templates < ${maxTestedTemplates}, term, ${fts5(terms)}) as asked, templates >= ${maxTestedTemplates} as whole
        from (${sql.join(counted, sql` union all `)}) order by templates limit 1
      ) where product_search match asked and (whole or ${inRow(terms)})`
  },
  selectExisting: words => sql`select value as word from json_each(${JSON.stringify(words)}) where (
      select 1 from product_search_vocabulary where term >= value and term < value || char(1114111) limit 1
    ) is not null`,
  namedLike: part => selectTrigramMatches('product_search_name', part)
}

/** Selects the texts with all trigrams of the part. Only these may contain it; undefined if it is too short. */
function selectTrigramMatches(table: string, part: string): RawBuilder<number> | undefined {
  const letters = [...part].slice(0, longestPart)
  if (letters.length < 3) return undefined
  const trigrams = letters.slice(2).map((_, index) => quoted(letters.slice(index, index + 3).join('')))
  return sql`select rowid from ${sql.table(table)} where ${sql.ref(table)} match ${trigrams.join(' ')}`
}

/** Characters of a part that are looked up. More would hardly narrow the result. */
const longestPart = 20

/** If the rarest term has fewer templates, they are tested one by one for the other terms. */
const maxTestedTemplates = 2000

const inRow = (terms: string[]): RawBuilder<SqlBool> =>
  sql.join(
    terms.map(term => sql<SqlBool>`instr(terms, ${` ${term}`}) > 0`),
    sql` and `
  )

/** Joins terms for `product_search`, each after a space. */
export const toStoredTerms = (terms: string[]): string => ` ${terms.join(' ')}`

const fts5 = (terms: string[]): string => terms.map(term => `${quoted(term)}*`).join(' ')

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
