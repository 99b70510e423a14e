import type { ProcessSettings } from '../../options.ts'
import { clearSocketPath } from './listen.ts'
import { announce, prepareStore } from './prepare.ts'
import { runServer } from './run-server.ts'

/** Starts the service in this process, which runs until a signal. */
export async function start(settings: ProcessSettings, demo: boolean): Promise<void> {
  const { db, ...found } = await prepareStore(settings, demo)
  try {
    await clearSocketPath(settings)
    // From now on the server closes the database.
    const { app } = await runServer(settings, db)
    announce(settings, found, { origin: app.listeningOrigin as string, log: app.log })
  } catch (error) {
    await db.destroy()
    throw error
  }
}
