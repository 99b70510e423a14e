import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from '../../db/migrations/columns.ts'

/** Creates the uploaded pictures and the small versions, which may be deleted at any time. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp, bytes } = columnsOf(db)
  await sql`create table product_media (
    source ${text} not null,
    small integer not null check (small in (0, 1)),
    hash ${text} not null,
    type ${text} not null,
    size integer not null,
    bytes ${bytes} not null,
    time_created ${timestamp} not null,
    primary key (source, small)
  )`.execute(db)
  await sql`create index product_media_hash on product_media (hash)`.execute(db)
  await sql`create index product_media_age on product_media (small, time_created, size)`.execute(db)
}
