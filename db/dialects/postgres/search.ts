import { sql } from 'kysely'
import type { Search } from '../engine.ts'

/** Search by a tsvector made from our terms, without PostgreSQL's parser. */
export const postgresSearch: Search = {
  // Not `exists`, which PostgreSQL may evaluate for all templates at once.
  matches: (id, terms) =>
    sql`coalesce((select terms @@ ${tsquery(terms)}::tsquery from product_search where template_id = ${id}), false)`,
  ids: terms => sql`select template_id from product_search where terms @@ ${tsquery(terms)}::tsquery`,
  // This would need an extension.
  namedLike: () => undefined,
  traitLike: () => undefined,
  withTraitLike: () => undefined
}

const tsquery = (terms: string[]): string => terms.map(term => `'${term}':*`).join(' & ')
