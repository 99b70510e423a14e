import { sql } from 'kysely'
import type { Search } from '../engine.ts'

/** A tsvector that was made without PostgreSQL's parser, and its index. */
export const postgresSearch: Search = {
  // Not `exists`, which PostgreSQL may answer for all templates before it looks at one.
  matches: (id, terms) =>
    sql`coalesce((select terms @@ ${tsquery(terms)}::tsquery from product_search where template_id = ${id}), false)`,
  ids: terms => sql`select template_id from product_search where terms @@ ${tsquery(terms)}::tsquery`,
  // What it has for that is an extension.
  namedLike: () => undefined,
  traitLike: () => undefined,
  withTraitLike: () => undefined
}

const tsquery = (terms: string[]): string => terms.map(term => `'${term}':*`).join(' & ')
