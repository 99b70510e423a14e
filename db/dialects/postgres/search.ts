import { sql } from 'kysely'
import type { Search } from '../engine.ts'

/** A tsvector that was made without PostgreSQL's parser, and its index. */
export const postgresSearch: Search = {
  async create(db) {
    await sql`create table product_search (
      template_id integer primary key references product_template (id) on delete cascade,
      terms tsvector not null
    )`.execute(db)
    await sql`create index product_search_terms on product_search using gin (terms)`.execute(db)
  },
  async insert(db, templates) {
    const rows = templates.map(({ id, terms }) => sql`(${id}::integer, array_to_tsvector(${terms}::text[]))`)
    await sql`insert into product_search (template_id, terms) values ${sql.join(rows)}`.execute(db)
  },
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
