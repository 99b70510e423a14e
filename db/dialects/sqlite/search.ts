import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Search } from '../interface.ts'

/** Search by FTS5. Its tokenizer treats all characters outside ASCII as letters, so it splits our terms only at spaces. */
export const sqliteSearch: Search = {
  // Tests the text of the row, because FTS5 takes as long for one row as for all.
  matches: (id, terms) => sql`exists (select 1 from product_search where rowid = ${id} and ${inRow(terms)})`,
  ids(terms) {
    if (terms.length === 1)
      return sql`select rowid from product_search where product_search match ${fts5(terms)}`
    // FTS5 reads all rows of a frequent term, even if another term is rare. So it looks up only the rarest term.
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

/** Selects the texts that have all trigrams of the part. Only these may contain it. undefined if the part is too short. */
export function selectTrigramMatches(table: string, part: string): RawBuilder<number> | undefined {
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
