import { sql } from 'kysely'
import { columnsOf, createFunction, isPostgres, type MigratedDb } from './columns.ts'
import { createAccounts, createAudit } from './initial-accounts.ts'
import { recordChanges, templateColumns } from './triggers/history.ts'
import { markPending } from './triggers/pending.ts'
import { raiseVersions } from './triggers/versions.ts'

/**
 * Creates the store: the tables with their indexes, and then the triggers. The tables of the index of templates are not
 * here, because they are derived (`db/templates/template-index/`).
 */
export async function up(db: MigratedDb): Promise<void> {
  await createStore(db)
  await createTemplates(db)
  await createRevisions(db)
  await createBulkChanges(db)
  await createResults(db)
  await createAccounts(db)
  await markPending(db)
  await recordChanges(db, templateColumns)
  await raiseVersions(db)
  await createAudit(db)
  if (isPostgres(db)) await numberTemplates(db)
}

/** Creates tables of one row: the facts that every program needs to use the store, and the state of the index. */
async function createStore(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  await sql`create table product_store (
    id integer primary key check (id = 1),
    oldest_migration ${text} not null
  )`.execute(db)
  await db.insertInto('product_store').values({ id: 1, oldest_migration: '0001-initial' }).execute()
  await sql`create table product_template_index (
    id integer primary key check (id = 1),
    version integer not null,
    complete integer not null check (complete in (0, 1)),
    reached integer
  )`.execute(db)
  await db.insertInto('product_template_index').values({ id: 1, version: 0, complete: 0 }).execute()
}

/** Creates the templates, with an index for each order. Their checks refuse what no query could answer. */
async function createTemplates(db: MigratedDb): Promise<void> {
  const { text, timestamp, isTime, strict } = columnsOf(db)
  await sql`create table product_template (
    id integer primary key check (id between 0 and 2147483647),
    blockchain_id integer not null check (blockchain_id between -2147483648 and 2147483647),
    max_items integer not null check (max_items between 1 and 2147483647),
    name ${text} not null,
    public_product integer not null check (public_product in (0, 1)),
    component_name ${text} not null,
    time_created ${timestamp} not null check (${isTime('time_created')}),
    time_modified ${timestamp} not null check (${isTime('time_modified')}),
    data ${text} not null,
    name_folded ${text} not null default '',
    name_key ${text} not null default '',
    revision integer not null default 1
  ) ${strict}`.execute(db)
  const orders = { modified: 'time_modified', created: 'time_created', name: 'name_key', id: 'id' }
  for (const [order, column] of Object.entries(orders)) {
    const columns = [...new Set([column, 'id', ...(isPostgres(db) ? [] : coveredColumns.split(', '))])]
    const index = sql.raw(`product_template_by_${order} on product_template (${columns.join(', ')})`)
    // For the id alone, the primary key is such an index.
    if (columns.length > 1) await sql`create index ${index}`.execute(db)
  }
}

/** On SQLite, an index also has all columns except the document, because reading a row there reads its document. */
const coveredColumns =
  'name, name_folded, name_key, component_name, blockchain_id, public_product, max_items, time_created, time_modified'

/**
 * On PostgreSQL, takes ids from a sequence, so that writers do not wait for each other. An insert with a chosen id
 * moves the sequence.
 */
async function numberTemplates(db: MigratedDb): Promise<void> {
  // With 64 bits, it never reaches its end. At its end, the statement and the transaction would fail.
  await sql`create sequence product_template_id as bigint`.execute(db)
  await createFunction(
    db,
    'product_template_number',
    `perform setval('product_template_id', chosen.id)
      from (select max(id) as id from new_rows) as chosen, product_template_id
      where chosen.id > last_value;
    return null;`
  )
  await sql`create trigger product_template_numbered after insert on product_template referencing new table as new_rows
    for each statement execute function product_template_number()`.execute(db)
}

/** Creates the contents of former revisions, and the list of all revisions. */
async function createRevisions(db: MigratedDb): Promise<void> {
  const { text, timestamp, long, sequence } = columnsOf(db)
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
    position ${long},
    author_name ${text},
    bulk_change ${text}
  )`.execute(db)
  for (const index of [
    'unique index product_revision_key on product_revision (template_id, number)',
    'unique index product_revision_position on product_revision (position)',
    'index product_revision_hash on product_revision (hash) where hash is not null',
    `index product_revision_unhashed on product_revision (sequence) where hash is null and action <> 'DELETE'`,
    // With the position, although it is null: no other index has this order, so the planner always uses this one.
    'index product_revision_unreleased on product_revision (position, sequence) where position is null',
    'index product_revision_bulk_change on product_revision (bulk_change, sequence) where bulk_change is not null'
  ])
    await sql.raw(`create ${index}`).execute(db)
}

/** Creates the bulk changes, such as imports. Each of their revisions has the id of its bulk change. */
async function createBulkChanges(db: MigratedDb): Promise<void> {
  const { text, timestamp, sequence } = columnsOf(db)
  await sql`create table product_bulk_change (
    sequence ${sequence},
    id ${text} not null unique,
    action ${text} not null,
    subject ${text},
    client_id ${text},
    author_name ${text},
    message ${text},
    time_recorded ${timestamp} not null,
    revisions integer not null,
    created integer not null,
    deleted integer not null,
    undoes ${text}
  )`.execute(db)
  await sql`create index product_bulk_change_undoes on product_bulk_change (undoes, sequence)
    where undoes is not null`.execute(db)
}

/** Creates the results of requests with an Idempotency-Key. */
async function createResults(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_idempotency (
    key ${text} primary key,
    request ${text} not null,
    result ${text} not null,
    time_created ${timestamp} not null
  )`.execute(db)
  await sql`create index product_idempotency_by_time on product_idempotency (time_created)`.execute(db)
}
