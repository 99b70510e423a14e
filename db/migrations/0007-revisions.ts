import { sql } from 'kysely'
import { columnsOf, isPostgres, type MigratedDb } from './columns.ts'
import { recordChanges, triggerOnPostgres } from './triggers/record-changes.ts'

/** The columns of a template except its id and `data`. Later migrations may add others. */
export const columns = [
  'blockchain_id',
  'max_items',
  'name',
  'public_product',
  'component_name',
  'time_created',
  'time_modified'
]

/**
 * Adds the revisions of templates. No row is rewritten: a column with a constant default costs nothing, and triggers archive
 * the old values of a template before any change of it.
 */
export async function up(db: MigratedDb): Promise<void> {
  await db.schema
    .alterTable('product_template')
    .addColumn('revision', 'integer', column => column.notNull().defaultTo(1))
    .execute()
  await createPast(db)
  await createRevisions(db)
  await createStore(db)
  await recordChanges(db, columns)
  if (isPostgres(db)) await triggerOnPostgres(db)
}

/** The contents of past revisions. `data` is null if the next revision has the same bytes. */
async function createPast(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_template_past (
    template_id integer not null,
    number integer not null,
    blockchain_id integer not null,
    max_items integer not null,
    name ${text} not null,
    public_product integer not null,
    component_name ${text} not null,
    time_created ${timestamp} not null,
    time_modified ${timestamp} not null,
    data ${text},
    constraint product_template_past_key primary key (template_id, number)
  )`.execute(db)
}

/** The revisions without their contents. A reader of changes sets the position of a revision after its commit. */
async function createRevisions(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  const [sequence, position] = isPostgres(db)
    ? [sql`bigint generated always as identity primary key`, sql`bigint`]
    : [sql`integer primary key autoincrement`, sql`integer`]
  await sql`create table product_revision (
    sequence ${sequence},
    template_id integer not null,
    number integer not null,
    action ${text} not null,
    hash ${text},
    subject ${text},
    client_id ${text},
    message ${text},
    time_recorded ${timestamp} not null,
    position ${position}
  )`.execute(db)
  for (const index of [
    'unique index product_revision_key on product_revision (template_id, number)',
    'unique index product_revision_position on product_revision (position)',
    'index product_revision_hash on product_revision (hash) where hash is not null',
    `index product_revision_unhashed on product_revision (sequence) where hash is null and action <> 'DELETE'`,
    // With the position, although it is null: no other index has this order, so the planner always uses this one.
    'index product_revision_unpublished on product_revision (position, sequence) where position is null'
  ])
    await sql.raw(`create ${index}`).execute(db)
}

/** A table of one row, with what every program must know about the store. */
async function createStore(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  await sql`create table product_store (
    id integer primary key check (id = 1),
    oldest_migration ${text} not null,
    recorded_up_to integer
  )`.execute(db)
  const stored = await db.selectFrom('product_template').select('id').limit(1).executeTakeFirst()
  const recorded_up_to = stored ? -1 : null
  await db
    .insertInto('product_store')
    .values({ id: 1, oldest_migration: '0006-derived-index', recorded_up_to })
    .execute()
}
