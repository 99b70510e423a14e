import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Adds a table of writes of many templates, such as imports. Each revision gets the id of its write. */
export async function up(db: MigratedDb): Promise<void> {
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
  await sql`alter table product_revision add column bulk_change ${text}`.execute(db)
  await sql`create index product_revision_bulk_change on product_revision (bulk_change, sequence)
    where bulk_change is not null`.execute(db)
  await sql`create index product_bulk_change_undoes on product_bulk_change (undoes, sequence)
    where undoes is not null`.execute(db)
}
