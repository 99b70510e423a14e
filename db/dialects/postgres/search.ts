import { sql } from 'kysely'
import type { Search } from '../interface.ts'

/** Search in a tsvector of our own terms, without PostgreSQL's parser. */
export const postgresSearch: Search = {
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
