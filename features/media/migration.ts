import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from '../../db/migrations/columns.ts'

/** Creates the table of pictures. Thumbnails may be deleted at any time. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp, bytes } = columnsOf(db)
  await sql`create table product_media (
    key ${text} not null,
    kind ${text} not null check (kind in ('original', 'thumbnail')),
    hash ${text} not null,
    type ${text} not null,
    size integer not null,
    bytes ${bytes} not null,
    time_created ${timestamp} not null,
    primary key (key, kind)
  )`.execute(db)
  await sql`create index product_media_hash on product_media (hash)`.execute(db)
  await sql`create index product_media_age on product_media (kind, time_created, size)`.execute(db)
}
