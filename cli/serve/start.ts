import type { ProcessSettings } from '../../options.ts'
import type { Readiness } from '../../routes/readiness.ts'
import { type HealthServer, openHealthServer } from './health/health-server.ts'
import { announce, prepareStore } from './prepare.ts'
import { runServer } from './run-server.ts'
import { clearSocketPath } from './server/listen.ts'
import { readTlsFiles } from './server/tls.ts'

/** Starts the service in this process, which runs until a signal. */
export async function start(settings: ProcessSettings, demo: boolean): Promise<void> {
  // Refuses unusable ones before anything is opened.
  readTlsFiles(settings)
  const health = await openHealthServer(settings)
  try {
    await startService(settings, demo, health)
  } catch (error) {
    await health?.close()
    throw error
  }
}

async function startService(settings: ProcessSettings, demo: boolean, health?: HealthServer): Promise<void> {
  const { db, ...found } = await prepareStore(settings, demo)
  try {
    await clearSocketPath(settings)
    // From now on the server closes the database.
    const { app, figures } = await runServer(settings, db)
    const { log } = app
    const metrics = settings.metrics === false ? undefined : (accept?: string) => figures.text(accept)
    health?.serve({ readiness: () => (app.productReadiness as Readiness).read(), metrics })
    announce(settings, found, { origin: app.listeningOrigin as string, log })
  } catch (error) {
    await db.destroy()
    throw error
  }
}
