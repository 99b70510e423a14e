import { sql } from 'kysely'
import { recordOnPostgres } from './0007-triggers-postgres.ts'
import { recordOnSqlite } from './0007-triggers-sqlite.ts'
import { columnsOf, isPostgres, type MigratedDb } from './columns.ts'

/**
 * The revisions of templates. No template is rewritten: a column with a constant default costs nothing, and triggers
 * archive what a template was before it changes, whoever changes it.
 */
export async function up(db: MigratedDb): Promise<void> {
  await db.schema
    .alterTable('product_template')
    .addColumn('revision', 'integer', column => column.notNull().defaultTo(1))
    .execute()
  await createPast(db)
  await createRevisions(db)
  await createStore(db)
  await (isPostgres(db) ? recordOnPostgres(db) : recordOnSqlite(db))
}

/** Former contents. `data` is null if its bytes are those of the next revision. */
async function createPast(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema
    .createTable('product_template_past')
    .addColumn('template_id', 'integer', column => column.notNull())
    .addColumn('number', 'integer', column => column.notNull())
    .addColumn('blockchain_id', 'integer', column => column.notNull())
    .addColumn('max_items', 'integer', column => column.notNull())
    .addColumn('name', text, column => column.notNull())
    .addColumn('public_product', 'integer', column => column.notNull())
    .addColumn('component_name', text, column => column.notNull())
    .addColumn('time_created', timestamp, column => column.notNull())
    .addColumn('time_modified', timestamp, column => column.notNull())
    .addColumn('data', text)
    .addPrimaryKeyConstraint('product_template_past_key', ['template_id', 'number'])
    .execute()
}

/** What is known of each revision beside its contents. Readers of changes give each its position after its commit. */
async function createRevisions(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  const [sequence, position] = isPostgres(db)
    ? [sql`bigint generated always as identity primary key`, sql`bigint`]
    : [sql`integer primary key autoincrement`, sql`integer`]
  await db.schema
    .createTable('product_revision')
    .addColumn('sequence', sequence)
    .addColumn('template_id', 'integer', column => column.notNull())
    .addColumn('number', 'integer', column => column.notNull())
    .addColumn('action', text, column => column.notNull())
    .addColumn('hash', text)
    .addColumn('subject', text)
    .addColumn('client_id', text)
    .addColumn('message', text)
    .addColumn('time_recorded', timestamp, column => column.notNull())
    .addColumn('position', position)
    .execute()
  for (const [name, columns] of [
    ['key', 'template_id, number'],
    ['position', 'position']
  ])
    await sql.raw(`create unique index product_revision_${name} on product_revision (${columns})`).execute(db)
  for (const [name, columns] of [
    ['hash', '(hash) where hash is not null'],
    ['unhashed', `(sequence) where hash is null and action <> 'DELETE'`],
    // With the position, which is null: no other index has this order, whatever the planner believes of the rows.
    ['unpublished', '(position, sequence) where position is null']
  ])
    await sql.raw(`create index product_revision_${name} on product_revision ${columns}`).execute(db)
}

/** One row: what every program must know of the store. */
async function createStore(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  await db.schema
    .createTable('product_store')
    .addColumn('id', 'integer', column => column.primaryKey().check(sql`id = 1`))
    .addColumn('oldest_migration', text, column => column.notNull())
    .addColumn('recorded_up_to', 'integer')
    .execute()
  const stored = await db.selectFrom('product_template').select('id').limit(1).executeTakeFirst()
  const recorded_up_to = stored ? -1 : null
  await db
    .insertInto('product_store')
    .values({ id: 1, oldest_migration: '0006-derived-index', recorded_up_to })
    .execute()
}
