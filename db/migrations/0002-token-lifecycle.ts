import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Families of refresh tokens, revoked tokens, permission to introspect, and key rotation. */
export async function up(db: MigratedDb): Promise<void> {
  await createFamilies(db)
  await createRevokedTokens(db)
  await extendClients(db)
  await extendSigningKeys(db)
}

async function createFamilies(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema
    .createTable('product_token_family')
    .addColumn('id', text, column => column.primaryKey())
    .addColumn('client_id', text, column =>
      column.notNull().references('product_client.id').onDelete('cascade')
    )
    .addColumn('user_id', text, column => column.notNull().references('product_user.id').onDelete('cascade'))
    .addColumn('scope', text, column => column.notNull())
    .addColumn('time_created', timestamp, column => column.notNull())
    .addColumn('time_expires', timestamp, column => column.notNull())
    .addColumn('time_revoked', timestamp)
    .execute()
  await db.schema
    .createIndex('product_token_family_user')
    .on('product_token_family')
    .column('user_id')
    .execute()
  await db.schema
    .createTable('product_refresh_token')
    .addColumn('hash', text, column => column.primaryKey())
    .addColumn('family_id', text, column =>
      column.notNull().references('product_token_family.id').onDelete('cascade')
    )
    .addColumn('generation', 'integer', column => column.notNull())
    .addColumn('time_used', timestamp)
    .addUniqueConstraint('product_refresh_token_turn', ['family_id', 'generation'])
    .execute()
}

async function createRevokedTokens(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema
    .createTable('product_revoked_token')
    .addColumn('jti', text, column => column.primaryKey())
    .addColumn('time_expires', timestamp, column => column.notNull())
    .execute()
}

async function extendClients(db: MigratedDb): Promise<void> {
  await db.schema
    .alterTable('product_client')
    .addColumn('may_introspect', 'integer', column =>
      column.notNull().defaultTo(0).check(sql`may_introspect in (0, 1)`)
    )
    .execute()
}

async function extendSigningKeys(db: MigratedDb): Promise<void> {
  const { timestamp } = columnsOf(db)
  for (const column of ['time_activated', 'time_retired']) {
    await db.schema.alterTable('product_signing_key').addColumn(column, timestamp).execute()
  }
  // The only existing key has been signing since its creation.
  await db
    .updateTable('product_signing_key')
    .set(query => ({ time_activated: query.ref('time_created') }))
    .execute()
}
