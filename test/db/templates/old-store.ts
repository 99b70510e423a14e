/** Stores as earlier versions made them: before there was an index, and with one that migration 0005 made itself. */
import { Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Test } from 'tap'
import { openPostgres } from '../../../db/dialects/postgres/open.ts'
import { SqliteDialect } from '../../../db/dialects/sqlite/dialect.ts'
import { openSqlite } from '../../../db/dialects/sqlite/open.ts'
import { migrations } from '../../../db/migrate.ts'
import * as orders from '../../../db/migrations/0005-reading.ts'
import { isPostgres } from '../../../db/migrations/columns.ts'
import type { AnyDb } from '../../../db/schema.ts'
import type { ProductTemplate } from '../../../db/templates/table/columns.ts'
import { toRow } from '../../../db/templates/writing/apply.ts'
import { postgresDefaults } from '../../../db/url.ts'
import { batches } from '../../../seeds/seed.ts'
import { databaseUrl, engine } from '../../support/database/database.ts'

type OldVersion = '0004-user-epoch' | '0005-reading'

/** The URL of a store as it was after a migration, with these templates. */
export async function oldStore(t: Test, version: OldVersion, templates: ProductTemplate[]): Promise<string> {
  const url = await databaseUrl(t)
  const dialect =
    engine === 'sqlite'
      ? new SqliteDialect(openSqlite(url.slice('sqlite:'.length)))
      : await openPostgres(url, { ...postgresDefaults, databasePoolSize: 1 })
  const db: AnyDb = new Kysely({ dialect })
  const known = Object.entries({ ...migrations, '0005-reading': { up: indexWithin0005 } as Migration })
  const provider = {
    getMigrations: async () => Object.fromEntries(known.filter(([name]) => name <= version))
  }
  const names = { migrationTableName: 'product_migration', migrationLockTableName: 'product_migration_lock' }
  const { error } = await new Migrator({ db, provider, ...names }).migrateToLatest()
  if (error) throw error
  await db.transaction().execute(async transaction => {
    for (const batch of batches(templates)) await insertPlain(transaction, ...batch)
  })
  if (version === '0005-reading') await fillOldIndex(db)
  await db.destroy()
  return url
}

/** Writes templates in one statement, as somebody does who knows the nine columns alone. */
export async function insertPlain(db: AnyDb, ...templates: ProductTemplate[]): Promise<void> {
  await db.insertInto('product_template').values(templates.map(toRow)).execute()
}

async function indexWithin0005(db: AnyDb): Promise<void> {
  const text = sql.raw(isPostgres(db) ? 'text collate "C"' : 'text')
  await sql`create table product_trait (
    type ${text} not null, key ${text} not null,
    template_id integer not null references product_template (id) on delete cascade,
    position integer not null, element integer not null, value ${text},
    constraint product_trait_key primary key (type, key, template_id, position, element)
  ) ${sql.raw(isPostgres(db) ? '' : 'without rowid')}`.execute(db)
  await sql`create index product_trait_template on product_trait (template_id, type, key)`.execute(db)
  await (isPostgres(db) ? searchOnPostgres(db) : searchOnSqlite(db))
  await orders.up(db)
}

async function searchOnPostgres(db: AnyDb): Promise<void> {
  await sql`create table product_search (
    template_id integer primary key references product_template (id) on delete cascade, terms tsvector not null
  )`.execute(db)
  await sql`create index product_search_terms on product_search using gin (terms)`.execute(db)
}

async function searchOnSqlite(db: AnyDb): Promise<void> {
  await sql`create virtual table product_search using fts5(terms, detail=none, tokenize='ascii')`.execute(db)
  await sql`create virtual table product_search_vocabulary using fts5vocab(product_search, row)`.execute(db)
  for (const table of ['product_search_name', 'product_search_trait'])
    await sql`create virtual table ${sql.table(table)} using fts5(
      text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'
    )`.execute(db)
  await sql`create trigger product_template_unsearch after delete on product_template begin
    delete from product_search where rowid = old.id;
    delete from product_search_name where rowid = old.id;
    delete from product_search_trait where rowid = old.id;
  end`.execute(db)
}

/** What an index of another version holds would be wrong in the one of today. */
async function fillOldIndex(db: AnyDb): Promise<void> {
  await sql`update product_template set name_folded = 'old', name_key = 'old'`.execute(db)
  await sql`insert into product_trait select 'Old', 'string:old', id, 0, -1, 'old' from product_template`.execute(
    db
  )
  if (isPostgres(db))
    await sql`insert into product_search select id, 'old'::tsvector from product_template`.execute(db)
  else
    await sql`insert into product_search (rowid, terms) select id, ' old' from product_template`.execute(db)
}
