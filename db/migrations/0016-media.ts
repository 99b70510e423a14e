import { sql } from 'kysely'
import { columnsOf, isPostgres, type MigratedDb } from './columns.ts'

/** Creates the table of uploaded pictures and of small versions. Small versions may be deleted at any time. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_media (
    source ${text} not null,
    small integer not null check (small in (0, 1)),
    hash ${text} not null,
    type ${text} not null,
    size integer not null,
    bytes ${sql.raw(isPostgres(db) ? 'bytea' : 'blob')} not null,
    time_created ${timestamp} not null,
    primary key (source, small)
  )`.execute(db)
  await sql`create index product_media_hash on product_media (hash)`.execute(db)
  await sql`create index product_media_age on product_media (small, time_created, size)`.execute(db)
}
