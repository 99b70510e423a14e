import fp from 'fastify-plugin'
import type { DatabaseOptions } from '../db/dialects/interface.ts'
import { migrate } from '../db/migrate.ts'
import type { Db } from '../db/schema.ts'
import { attachReplica } from '../db/templates/snapshot.ts'
import { migrations, openDatabase } from '../features/database.ts'
import { parseServiceOptions, type ServiceOptions } from '../options/index.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productStore: Db
  }
}

export type StoreOptions = DatabaseOptions & Pick<ServiceOptions, 'database' | 'databaseRead' | 'db'>

/** Opens and migrates the database, and closes its own with the app. Throws StartError for bad options. */
export const store = fp<StoreOptions>(
  async (app, { mustExist = false, ...given }) => {
    const { database, databaseRead, db, ...settings } = parseServiceOptions(given)
    if (db) await migrate(db, migrations)
    const options = limitStartTimeout({ ...settings, mustExist }, app.initialConfig.pluginTimeout)
    const opened = db ? undefined : await openDatabase(database, options)
    const used = (opened ?? db) as Db
    app.decorate('productStore', used)
    app.addHook('onClose', async () => opened?.destroy())
    if (databaseRead === undefined) return
    const replica = await attachReplica(used, databaseRead, settings)
    app.addHook('onClose', () => replica.destroy())
  },
  { name: 'product-store', fastify: '5.x' }
)

/** Limits the start timeout to Fastify's plugin timeout, whose error would not name the reason. */
function limitStartTimeout(options: DatabaseOptions, pluginTimeout = 10_000): DatabaseOptions {
  if (pluginTimeout === 0 || options.databaseStartTimeout === undefined) return options
  const maxSeconds = Math.max(0, pluginTimeout / 1000 - 2)
  return { ...options, databaseStartTimeout: Math.min(options.databaseStartTimeout, maxSeconds) }
}
