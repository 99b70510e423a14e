import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Public clients and their redirect URIs, sessions of the login page, consents, and authorization codes. */
export async function up(db: MigratedDb): Promise<void> {
  await extendClients(db)
  await createSessions(db)
  await createConsents(db)
  await createCodes(db)
}

async function extendClients(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  for (const name of ['is_public', 'first_party'])
    await db.schema
      .alterTable('product_client')
      .addColumn(name, 'integer', column =>
        column
          .notNull()
          .defaultTo(0)
          .check(sql.raw(`${name} in (0, 1)`))
      )
      .execute()
  for (const name of ['redirect_uris', 'display_name'])
    await db.schema
      .alterTable('product_client')
      .addColumn(name, text, column => column.notNull().defaultTo(''))
      .execute()
}

async function createSessions(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema
    .createTable('product_session')
    .addColumn('hash', text, column => column.primaryKey())
    .addColumn('user_id', text, column => column.notNull().references('product_user.id').onDelete('cascade'))
    .addColumn('token_epoch', 'integer', column => column.notNull())
    .addColumn('time_created', timestamp, column => column.notNull())
    .addColumn('time_used', timestamp, column => column.notNull())
    .execute()
  await createIndex(db, 'product_session', 'user_id')
  await createIndex(db, 'product_session', 'time_created')
}

async function createConsents(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema
    .createTable('product_consent')
    .addColumn('user_id', text, column => column.notNull().references('product_user.id').onDelete('cascade'))
    .addColumn('client_id', text, column =>
      column.notNull().references('product_client.id').onDelete('cascade')
    )
    .addColumn('scope', text, column => column.notNull())
    .addColumn('time_created', timestamp, column => column.notNull())
    .addPrimaryKeyConstraint('product_consent_key', ['user_id', 'client_id'])
    .execute()
}

async function createCodes(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema
    .createTable('product_authorization_code')
    .addColumn('hash', text, column => column.primaryKey())
    .addColumn('client_id', text, column =>
      column.notNull().references('product_client.id').onDelete('cascade')
    )
    .addColumn('user_id', text, column => column.notNull().references('product_user.id').onDelete('cascade'))
    .addColumn('token_epoch', 'integer', column => column.notNull())
    .addColumn('redirect_uri', text, column => column.notNull())
    .addColumn('challenge', text, column => column.notNull())
    .addColumn('scope', text, column => column.notNull())
    .addColumn('time_expires', timestamp, column => column.notNull())
    .addColumn('time_used', timestamp)
    .addColumn('family_id', text)
    .execute()
  await createIndex(db, 'product_authorization_code', 'time_expires')
}

const createIndex = (db: MigratedDb, table: string, column: string) =>
  db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute()
