import fp from 'fastify-plugin'
import { openDatabase } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import type { AnyDb, Db } from '../db/schema.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productStore: Db
  }
}

export interface StoreOptions {
  /** `sqlite:<path>` or `sqlite::memory:`. */
  database: string
  /** The host's own Kysely instance, used instead and left open. */
  db?: AnyDb
}

/** The database, migrated. What the plugin opened it closes with the app. */
export const store = fp<StoreOptions>(
  async (app, { database, db }) => {
    if (db) await migrate(db)
    const opened = db ? undefined : await openDatabase(database)
    app.decorate('productStore', (opened ?? db) as Db)
    app.addHook('onClose', async () => opened?.destroy())
  },
  { name: 'product-store', fastify: '5.x' }
)
