import fp from 'fastify-plugin'
import { type DatabaseOptions, openDatabase } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import type { AnyDb, Db } from '../db/schema.ts'
import { parseServiceOptions } from '../options.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productStore: Db
  }
}

export interface StoreOptions extends DatabaseOptions {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`; the default of the whole service when nothing is said. */
  database?: string
  /** The host's own Kysely instance, used instead and left open. */
  db?: AnyDb
}

/** The database, migrated. What the plugin opened it closes with the app. Throws StartError for bad options. */
export const store = fp<StoreOptions>(
  async (app, { mustExist = false, ...given }) => {
    const { database, db, ...settings } = parseServiceOptions(given)
    if (db) await migrate(db)
    const options = withinTimeout({ ...settings, mustExist }, app.initialConfig.pluginTimeout)
    const opened = db ? undefined : await openDatabase(database, options)
    app.decorate('productStore', (opened ?? db) as Db)
    app.addHook('onClose', async () => opened?.destroy())
  },
  { name: 'product-store', fastify: '5.x' }
)

/** Fastify's own complaint of a plugin that waits too long would not say for what. */
function withinTimeout(options: DatabaseOptions, pluginTimeout = 10_000): DatabaseOptions {
  if (pluginTimeout === 0 || options.databaseStartTimeout === undefined) return options
  const longest = Math.max(0, pluginTimeout / 1000 - 2)
  return { ...options, databaseStartTimeout: Math.min(options.databaseStartTimeout, longest) }
}
