import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Search } from '../engine.ts'

/** FTS5. Its tokenizer only splits at spaces: it takes all that is not ASCII for letters. */
export const sqliteSearch: Search = {
  // Looked up in the row: to ask the index for one row takes as long as for all.
  matches: (id, terms) => sql`exists (select 1 from product_search where rowid = ${id} and ${inRow(terms)})`,
  ids(terms) {
    if (terms.length === 1)
      return sql`select rowid from product_search where product_search match ${fts5(terms)}`
    // FTS5 goes through all that has a frequent term, however rare another one is.
    const counted = terms.map(
      term => sql`select ${fts5([term])} as term, (
        select coalesce(sum(doc), 0) from product_search_vocabulary where term >= ${term} and term < ${`${term}\u{10FFFF}`}
      ) as templates`
    )
    return sql`select rowid from product_search, (
        select iif(templates < ${few}, term, ${fts5(terms)}) as asked, templates >= ${few} as whole
        from (${sql.join(counted, sql` union all `)}) order by templates limit 1
      ) where product_search match asked and (whole or ${inRow(terms)})`
  },
  namedLike: part => like('product_search_name', part),
  traitLike: part => like('product_search_trait', part),
  // One template's entries are found together, but for many it is faster to go through all entries of the type.
  withTraitLike(part, entry) {
    const ids = like('product_search_trait', part)
    if (!ids) return undefined
    const counted = sql`(select count(*) as templates from (${ids} limit ${few}))`
    return sql`select template_id from ${counted} cross join product_trait where templates >= ${few} and ${entry}
      union all
      select template_id from ${counted} cross join (${ids}) as near
      cross join product_trait indexed by product_trait_template
      where templates < ${few} and template_id = near.rowid and ${entry}`
  }
}

/** By the trigrams of the part: a text without one of them has not the part. */
function like(table: string, part: string): RawBuilder<number> | undefined {
  const letters = [...part].slice(0, longestPart)
  if (letters.length < 3) return undefined
  const trigrams = letters.slice(2).map((_, index) => quoted(letters.slice(index, index + 3).join('')))
  return sql`select rowid from ${sql.table(table)} where ${sql.ref(table)} match ${trigrams.join(' ')}`
}

/** Letters of a part that an index is asked for: so many narrow it down enough. */
const longestPart = 20

/** Templates that are rather looked at one by one. */
const few = 2000

const inRow = (terms: string[]): RawBuilder<SqlBool> =>
  sql.join(
    terms.map(term => sql<SqlBool>`instr(terms, ${` ${term}`}) > 0`),
    sql` and `
  )

/** Each term after a space, as `product_search` has them. */
export const toStoredTerms = (terms: string[]): string => terms.map(term => ` ${term}`).join('')

const fts5 = (terms: string[]): string => terms.map(term => `${quoted(term)}*`).join(' ')

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
