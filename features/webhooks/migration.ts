import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from '../../db/migrations/columns.ts'

/** Creates the webhooks, their unsent messages, and the process that sends. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp, long } = columnsOf(db)
  await sql`create table product_webhook (
    id ${text} primary key,
    url ${text} not null,
    template_where ${text},
    events ${text} not null,
    secret ${text} not null,
    previous_secret ${text},
    time_previous_expires ${timestamp},
    position ${long} not null,
    disabled_because ${text},
    time_created ${timestamp} not null,
    time_modified ${timestamp} not null,
    time_disabled ${timestamp}
  )`.execute(db)
  await sql`create table product_webhook_delivery (
    webhook_id ${text} not null references product_webhook (id) on delete cascade,
    position ${long} not null,
    template_id integer not null,
    body ${text} not null,
    attempts integer not null,
    dead integer not null check (dead in (0, 1)),
    last_error ${text},
    time_stored ${timestamp} not null,
    time_tried ${timestamp},
    time_next ${timestamp},
    time_expires ${timestamp},
    primary key (webhook_id, position)
  )`.execute(db)
  await sql`create index product_webhook_delivery_turn
    on product_webhook_delivery (webhook_id, template_id, position)`.execute(db)
  await sql`create index product_webhook_delivery_due
    on product_webhook_delivery (time_next, webhook_id) where time_next is not null`.execute(db)
  await sql`create table product_webhook_leader (beat ${text} not null)`.execute(db)
  await sql`insert into product_webhook_leader (beat) values ('')`.execute(db)
}
