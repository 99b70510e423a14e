import { sql } from 'kysely'
import type { Db } from '../../schema.ts'
import { prepared } from '../prepared.ts'
import type { IndexEntry, IndexTables } from '../template-index.ts'
import { isLongKey, toIndexedKey } from './index-queries.ts'

/** Key of the advisory lock: "prindex" in ASCII. */
const indexLock = sql.lit(0x7072696e646578)

export const postgresIndex: IndexTables = {
  async create(transaction) {
    await sql`drop table if exists product_trait, product_trait_type, product_search`.execute(transaction)
    await sql`create table product_trait_type (
      id integer generated always as identity primary key, type text collate "C" not null unique
    )`.execute(transaction)
    await sql`create table product_trait (
      template_id integer not null, type_id integer not null,
      key text collate "C" not null, value text collate "C"
    )`.execute(transaction)
    await sql`create table product_search (
      template_id integer primary key, terms tsvector not null
    )`.execute(transaction)
    await sql`create unique index product_trait_key on product_trait (type_id, key, template_id)`.execute(
      transaction
    )
    await sql`create index product_trait_template on product_trait (template_id)`.execute(transaction)
    await sql`create index product_search_terms on product_search using gin (terms)`.execute(transaction)
    await createTemplateIndexes(transaction)
  },

  idColumns: { product_trait: 'template_id', product_search: 'template_id' },

  async write(transaction, { ids, statements, entries }) {
    const withNewTraits = entries.filter(({ hasSameTraits }) => !hasSameTraits)
    const parts = [
      ...statements,
      ...(entries.length > 0 ? [replaceWords(entries)] : []),
      ...(withNewTraits.length > 0 ? [removeTraits(withNewTraits)] : [])
    ].map((part, index) => sql`${sql.ref(`part${index}`)} as (${part})`)
    // Tells the triggers of `product_template` not to mark the templates. They run after all parts of the statement.
    const all = sql`with ${sql.join(parts)} select set_config('product_templates.indexing', 'on', true)`
    await all.execute(ids.length === 1 ? prepared(transaction) : transaction)
    if (withNewTraits.length > 0) await insertTraits(prepared(transaction), withNewTraits)
  },

  pendingKey: 'mark',

  resumeMarking: sql`set_config('product_templates.indexing', 'off', true)`,

  async lock(transaction) {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${indexLock}) as locked`.execute(transaction)
    return rows[0]?.locked ?? false
  }
}

/**
 * Creates the indexes of `product_template` for filters. The migrations create those for orders. A migration that adds
 * a column to filters recreates `product_template_filtered` in stores that already have an index.
 */
async function createTemplateIndexes(db: Db): Promise<void> {
  await sql`drop index if exists product_template_filtered, product_template_name_trigrams`.execute(db)
  // Most of a row is its document. Filters without another index read this one instead of the rows.
  await sql`create index product_template_filtered on product_template (id)
    include (public_product, blockchain_id, max_items, component_name, name_folded)`.execute(db)
  // If the role may not create the extension, `contains` reads the index above.
  await sql`do $$ begin create extension if not exists pg_trgm; exception when others then null; end $$`.execute(
    db
  )
  const { rows } = await sql<{ statement: string }>`
    select format('create index product_template_name_trigrams on product_template
      using gin (name_folded %s.gin_trgm_ops)', extnamespace::regnamespace) as statement
    from pg_extension where extname = 'pg_trgm'`.execute(db)
  for (const { statement } of rows) await sql.raw(statement).execute(db)
}

const replaceWords = (entries: IndexEntry[]) =>
  sql`insert into product_search (template_id, terms)
    select id, array_to_tsvector(string_to_array(words, ' ')) from unnest(
      ${entries.map(({ id }) => id)}::integer[],
      ${entries.map(({ terms }) => terms.join(' '))}::text[]
    ) as entry (id, words)
    on conflict (template_id) do update set terms = excluded.terms`

const removeTraits = (entries: IndexEntry[]) =>
  sql`delete from product_trait where template_id = any(${entries.map(({ id }) => id)}::integer[])`

/** Inserts the traits of templates. If a name of a trait is new, inserts nothing, gives it an id and tries again. */
async function insertTraits(db: Db, entries: IndexEntry[]): Promise<void> {
  const traits = entries.flatMap(({ id, traits }) => traits.map(trait => ({ id, ...trait })))
  const types = [...new Set(traits.map(({ type }) => type))]
  const missing = sql`select type from unnest(${types}::text[]) as entry (type)
    where not exists (select 1 from product_trait_type as stored where stored.type = entry.type)`
  const insert = sql`insert into product_trait (template_id, type_id, key, value)
    select entry.id, product_trait_type.id, key, value from unnest(
      ${traits.map(({ id }) => id)}::integer[],
      ${traits.map(({ type }) => type)}::text[],
      ${traits.map(({ key }) => toIndexedKey(key))}::text[],
      ${traits.map(({ key }) => (isLongKey(key) ? key.slice(1) : null))}::text[]
    ) as entry (id, type, key, value) join product_trait_type using (type)
    where not exists (${missing})`
  const { numAffectedRows } = await insert.execute(db)
  if (numAffectedRows === BigInt(traits.length)) return
  await sql`insert into product_trait_type (type) ${missing} on conflict do nothing`.execute(db)
  await insert.execute(db)
}
