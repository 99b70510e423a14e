import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Creates the tables of templates, users and their wallets, clients and signing keys. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_template (
    id integer primary key check (id between 0 and 2147483647),
    blockchain_id integer not null check (blockchain_id between -2147483648 and 2147483647),
    max_items integer not null check (max_items between 1 and 2147483647),
    name ${text} not null,
    public_product integer not null check (public_product in (0, 1)),
    component_name ${text} not null,
    time_created ${timestamp} not null,
    time_modified ${timestamp} not null,
    data ${text} not null
  )`.execute(db)
  await sql`create index product_template_newest_first
    on product_template (time_modified desc, id desc)`.execute(db)
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
    time_disabled ${timestamp}
  )`.execute(db)
  await sql`create table product_user_wallet (
    user_id ${text} not null references product_user (id) on delete cascade,
    position integer not null,
    address ${text} not null,
    constraint product_user_wallet_key primary key (user_id, position)
  )`.execute(db)
  await sql`create table product_client (
    id ${text} primary key,
    secret_hash ${text} not null,
    grant_types ${text} not null,
    scope ${text} not null,
    time_created ${timestamp} not null,
    time_modified ${timestamp} not null,
    time_disabled ${timestamp}
  )`.execute(db)
  await sql`create table product_signing_key (
    id ${text} primary key,
    algorithm ${text} not null,
    private_jwk ${text} not null,
    time_created ${timestamp} not null
  )`.execute(db)
}
