import type { AddressInfo } from 'node:net'
import closeWithGrace from 'close-with-grace'
import type { Db } from '../../db/schema.ts'
import type { ProcessSettings } from '../../options.ts'
import { shutdownMilliseconds } from './drain/drain.ts'
import { type HealthSources, openHealthServer } from './health/health-server.ts'
import { prepareStore } from './prepare.ts'
import { listen } from './server/listen.ts'
import { buildServer, type Server } from './server/server.ts'
import { readTlsFiles, reloadTls } from './server/tls.ts'

/** Starts the service in this process, which runs until a signal. */
export async function start(settings: ProcessSettings, wantsDemo: boolean): Promise<void> {
  // Refuses unusable ones before anything is opened.
  const tls = readTlsFiles(settings)
  const sources: HealthSources = {}
  const health = await openHealthServer(settings, sources)
  let db: Db | undefined
  let server: Server | undefined
  try {
    const store = await prepareStore(settings, wantsDemo)
    db = store.db
    server = await buildServer(settings, db, tls)
    const { app, servers, readiness, figures } = server
    const close = closeOnSignals(settings, server, db)
    await listen(app, servers, settings)
    process.once('disconnect', close)
    sources.readiness = readiness
    if (settings.metrics !== false) sources.metrics = accept => figures.text(accept)
    store.announce(app)
    const { port } = app.server.address() as AddressInfo
    process.send?.({ port })
  } catch (error) {
    await Promise.all([health?.close(), server?.app.close()])
    await db?.destroy()
    throw error
  }
}

/** Ends the process in order on a signal or an unexpected error. Returns the function that does the same. */
function closeOnSignals(settings: ProcessSettings, { app, servers, drain }: Server, db: Db): () => void {
  // Before it listens, so that no signal arrives without a handler.
  const delay = shutdownMilliseconds(settings)
  // Terminals and systemd signal the whole group, and the supervisor does, too: for a worker that is no second signal.
  const ownSignals = process.connected ? (['SIGINT', 'SIGTERM'] as const) : []
  let isClosing = false
  // With nothing left to do, the process has failed to start.
  const skip = ['SIGHUP' as const, 'beforeExit' as const, ...ownSignals]
  const grace = closeWithGrace({ delay, logger: app.log, skip }, async ({ err, signal }) => {
    isClosing = true
    if (err) app.log.fatal({ err }, 'unexpected error, closing')
    else app.log.info({ signal }, 'closing')
    await drain.run(err ? 0 : settings.shutdownDelay)
    await app.close()
    await db.destroy()
  })
  const close = () => {
    if (!isClosing) grace.close()
  }
  for (const signal of ownSignals) process.on(signal, close)
  // On a terminal, SIGHUP means that the terminal is gone.
  process.on('SIGHUP', () => {
    if (process.stdout.isTTY) close()
    else reloadTls(settings, files => servers.setTls(files), app.log)
  })
  return close
}
