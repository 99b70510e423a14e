import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Templates, users with their wallets, clients, signing keys. */
export async function up(db: MigratedDb): Promise<void> {
  await createTemplates(db)
  await createUsers(db)
  await createClients(db)
  await createSigningKeys(db)
}

async function createTemplates(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema
    .createTable('product_template')
    .addColumn('id', 'integer', column => column.primaryKey().check(sql`id between 0 and 2147483647`))
    .addColumn('blockchain_id', 'integer', column =>
      column.notNull().check(sql`blockchain_id between -2147483648 and 2147483647`)
    )
    .addColumn('max_items', 'integer', column =>
      column.notNull().check(sql`max_items between 1 and 2147483647`)
    )
    .addColumn('name', text, column => column.notNull())
    .addColumn('public_product', 'integer', column => column.notNull().check(sql`public_product in (0, 1)`))
    .addColumn('component_name', text, column => column.notNull())
    .addColumn('time_created', timestamp, column => column.notNull())
    .addColumn('time_modified', timestamp, column => column.notNull())
    .addColumn('data', text, column => column.notNull())
    .execute()
  await db.schema
    .createIndex('product_template_newest_first')
    .on('product_template')
    .columns(['time_modified desc', 'id desc'])
    .execute()
}

async function createUsers(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema
    .createTable('product_user')
    .addColumn('id', text, column => column.primaryKey())
    .addColumn('email', text, column => column.notNull().unique())
    .addColumn('password_hash', text, column => column.notNull())
    .addColumn('first_name', text, column => column.notNull())
    .addColumn('last_name', text, column => column.notNull())
    .addColumn('country', text, column => column.notNull())
    .addColumn('mobile', text, column => column.notNull())
    .addColumn('time_created', timestamp, column => column.notNull())
    .addColumn('time_modified', timestamp, column => column.notNull())
    .addColumn('time_disabled', timestamp)
    .execute()
  await db.schema
    .createTable('product_user_wallet')
    .addColumn('user_id', text, column => column.notNull().references('product_user.id').onDelete('cascade'))
    .addColumn('position', 'integer', column => column.notNull())
    .addColumn('address', text, column => column.notNull())
    .addPrimaryKeyConstraint('product_user_wallet_key', ['user_id', 'position'])
    .execute()
}

async function createClients(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema
    .createTable('product_client')
    .addColumn('id', text, column => column.primaryKey())
    .addColumn('secret_hash', text, column => column.notNull())
    .addColumn('grant_types', text, column => column.notNull())
    .addColumn('scope', text, column => column.notNull())
    .addColumn('time_created', timestamp, column => column.notNull())
    .addColumn('time_modified', timestamp, column => column.notNull())
    .addColumn('time_disabled', timestamp)
    .execute()
}

async function createSigningKeys(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema
    .createTable('product_signing_key')
    .addColumn('id', text, column => column.primaryKey())
    .addColumn('algorithm', text, column => column.notNull())
    .addColumn('private_jwk', text, column => column.notNull())
    .addColumn('time_created', timestamp, column => column.notNull())
    .execute()
}
