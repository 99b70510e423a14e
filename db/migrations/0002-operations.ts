import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Adds a table of writes of many templates, such as imports. Each revision gets the id of its write. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp, sequence } = columnsOf(db)
  await sql`create table product_operation (
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
  await sql`alter table product_revision add column operation ${text}`.execute(db)
  await sql`create index product_revision_operation on product_revision (operation, sequence)
    where operation is not null`.execute(db)
  await sql`create index product_operation_undoes on product_operation (undoes, sequence)
    where undoes is not null`.execute(db)
}
