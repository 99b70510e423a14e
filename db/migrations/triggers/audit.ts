import { sql } from 'kysely'
import { columnsOf, createFunction, isPostgres, type MigratedDb } from '../columns.ts'

/** Creates the audit trail. Triggers make it append-only. */
export async function createAudit(db: MigratedDb): Promise<void> {
  const { text, timestamp, sequence } = columnsOf(db)
  await sql`create table product_audit (
    sequence ${sequence},
    time_recorded ${timestamp} not null,
    action ${text} not null,
    subject ${text},
    client_id ${text},
    actor_name ${text},
    address ${text},
    target_kind ${text} not null,
    target_id ${text} not null,
    details ${text} not null
  )`.execute(db)
  await sql`create index product_audit_target on product_audit (target_id, action, sequence)`.execute(db)
  await (isPostgres(db) ? protectOnPostgres(db) : protectOnSqlite(db))
}

const refusal = 'the audit trail is append-only'

async function protectOnSqlite(db: MigratedDb): Promise<void> {
  const refuse = `begin select raise(abort, '${refusal}'); end`
  for (const event of ['update', 'delete'])
    await sql
      .raw(`create trigger product_audit_${event} before ${event} on product_audit ${refuse}`)
      .execute(db)
  // `insert or replace` deletes a row without running the trigger above.
  await sql
    .raw(`create trigger product_audit_replace before insert on product_audit
      when exists (select 1 from product_audit where sequence = new.sequence) ${refuse}`)
    .execute(db)
}

async function protectOnPostgres(db: MigratedDb): Promise<void> {
  await createFunction(db, 'product_audit_refuse', `raise exception '${refusal}';`)
  await sql`create trigger product_audit_refuse before update or delete or truncate on product_audit
    for each statement execute function product_audit_refuse()`.execute(db)
  await sql`alter table product_audit enable always trigger product_audit_refuse`.execute(db)
}
