import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Search } from '../engine.ts'

/** Search by FTS5. Its tokenizer splits only at spaces, since it treats all other than ASCII as letters. */
export const sqliteSearch: Search = {
  // Tested on the row: FTS5 takes as long for one row as for all.
  matches: (id, terms) => sql`exists (select 1 from product_search where rowid = ${id} and ${inRow(terms)})`,
  ids(terms) {
    if (terms.length === 1)
      return sql`select rowid from product_search where product_search match ${fts5(terms)}`
    // FTS5 reads all rows with a frequent term, even if another term is rare.
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
  // For few candidates, their entries are looked up; for many, scanning all entries of the type is faster.
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

/** Selects candidates by the trigrams of the part; a text that lacks one of them cannot contain the part. */
function like(table: string, part: string): RawBuilder<number> | undefined {
  const letters = [...part].slice(0, longestPart)
  if (letters.length < 3) return undefined
  const trigrams = letters.slice(2).map((_, index) => quoted(letters.slice(index, index + 3).join('')))
  return sql`select rowid from ${sql.table(table)} where ${sql.ref(table)} match ${trigrams.join(' ')}`
}

/** Characters of a part that are looked up; more would hardly narrow the result. */
const longestPart = 20

/** Up to this many candidates are tested one by one. */
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
