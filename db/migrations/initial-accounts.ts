import { sql } from 'kysely'
import { columnsOf, createFunction, isPostgres, type MigratedDb } from './columns.ts'

/** Creates the tables of users and clients, and of their logins and tokens. */
export async function createAccounts(db: MigratedDb): Promise<void> {
  await createUsers(db)
  await createClients(db)
  await createTokens(db)
  await createLogins(db)
}

async function createUsers(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_user (
    id ${text} primary key,
    email ${text} not null unique,
    password_hash ${text} not null,
    first_name ${text} not null,
    last_name ${text} not null,
    country ${text} not null,
    mobile ${text} not null,
    time_created ${timestamp} not null,
    time_modified ${timestamp} not null,
    time_disabled ${timestamp},
    token_epoch integer not null default 0,
    role ${text} not null default 'publisher',
    template_where ${text}
  )`.execute(db)
  await sql`create table product_user_wallet (
    user_id ${text} not null references product_user (id) on delete cascade,
    position integer not null,
    address ${text} not null,
    constraint product_user_wallet_key primary key (user_id, position)
  )`.execute(db)
  await sql`create table product_password_link (
    hash ${text} primary key,
    user_id ${text} not null references product_user (id) on delete cascade,
    token_epoch integer not null,
    time_expires ${timestamp} not null
  )`.execute(db)
}

async function createClients(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_client (
    id ${text} primary key,
    secret_hash ${text} not null,
    grant_types ${text} not null,
    scope ${text} not null,
    time_created ${timestamp} not null,
    time_modified ${timestamp} not null,
    time_disabled ${timestamp},
    may_introspect integer not null default 0 check (may_introspect in (0, 1)),
    previous_secret_hash ${text},
    time_previous_expires ${timestamp},
    is_public integer not null default 0 check (is_public in (0, 1)),
    first_party integer not null default 0 check (first_party in (0, 1)),
    redirect_uris ${text} not null default '',
    display_name ${text} not null default '',
    token_epoch integer not null default 0
  )`.execute(db)
  await sql`create table product_consent (
    user_id ${text} not null references product_user (id) on delete cascade,
    client_id ${text} not null references product_client (id) on delete cascade,
    scope ${text} not null,
    time_created ${timestamp} not null,
    constraint product_consent_key primary key (user_id, client_id)
  )`.execute(db)
}

async function createTokens(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_signing_key (
    id ${text} primary key,
    algorithm ${text} not null,
    private_jwk ${text} not null,
    time_created ${timestamp} not null,
    time_activated ${timestamp},
    time_retired ${timestamp},
    access_token_ttl integer
  )`.execute(db)
  await sql`create table product_token_family (
    id ${text} primary key,
    client_id ${text} not null references product_client (id) on delete cascade,
    user_id ${text} not null references product_user (id) on delete cascade,
    scope ${text} not null,
    time_created ${timestamp} not null,
    time_expires ${timestamp} not null,
    time_revoked ${timestamp},
    grant_type ${text} not null,
    resource ${text}
  )`.execute(db)
  await sql`create index product_token_family_user on product_token_family (user_id)`.execute(db)
  await sql`create table product_refresh_token (
    hash ${text} primary key,
    family_id ${text} not null references product_token_family (id) on delete cascade,
    generation integer not null,
    time_used ${timestamp},
    constraint product_refresh_token_turn unique (family_id, generation)
  )`.execute(db)
  await sql`create table product_revoked_token (
    jti ${text} primary key,
    time_expires ${timestamp} not null
  )`.execute(db)
  await sql`create table product_attempt (
    subject ${text} primary key,
    count integer not null,
    time_ends ${timestamp} not null
  )`.execute(db)
}

async function createLogins(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_session (
    hash ${text} primary key,
    user_id ${text} not null references product_user (id) on delete cascade,
    token_epoch integer not null,
    time_created ${timestamp} not null,
    time_used ${timestamp} not null,
    browser ${text} not null
  )`.execute(db)
  await sql`create table product_authorization_code (
    hash ${text} primary key,
    client_id ${text} not null references product_client (id) on delete cascade,
    user_id ${text} not null references product_user (id) on delete cascade,
    token_epoch integer not null,
    redirect_uri ${text} not null,
    challenge ${text} not null,
    scope ${text} not null,
    time_expires ${timestamp} not null,
    time_used ${timestamp},
    family_id ${text},
    nonce ${text},
    time_authenticated ${timestamp} not null,
    resource ${text}
  )`.execute(db)
  for (const [table, column] of [
    ['product_session', 'user_id'],
    ['product_session', 'time_created'],
    ['product_authorization_code', 'time_expires']
  ])
    await sql.raw(`create index ${table}_by_${column} on ${table} (${column})`).execute(db)
}

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
