import { sql } from 'kysely'
import type { Search } from '../engine.ts'

/** Search by an index of our terms, made without PostgreSQL's parser. */
export const postgresSearch: Search = {
  // Tested on the text, in a subquery: PostgreSQL may evaluate `exists` for all templates at once.
  matches(id, terms) {
    const tests = terms.map(term => sql`strpos(' ' || terms, ${` ${term}`}) > 0`)
    return sql`coalesce((select ${sql.join(tests, sql` and `)} from product_search where template_id = ${id}), false)`
  },
  ids: terms => sql`select template_id from product_search
    where product_search_vector(terms) @@ ${tsquery(terms)}::tsquery`,
  // By the index of trigrams, where the extension pg_trgm is.
  namedLike: part => sql`select id from product_template where name_folded like ${`%${escapeLike(part)}%`}`
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

const tsquery = (terms: string[]): string => terms.map(term => `'${term}':*`).join(' & ')
