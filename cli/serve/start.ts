import type { AddressInfo } from 'node:net'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { openDatabase } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import { StartError } from '../../errors.ts'
import type { ProcessSettings } from '../../options.ts'
import { findDemoCredentialRemedies } from '../../seeds/accounts.ts'
import { isEmpty, seedDemo } from '../../seeds/seed.ts'
import { formatBanner } from './banner.ts'
import { shutdownMilliseconds } from './drain/drain.ts'
import { type HealthSources, openHealthServer } from './health-server.ts'
import { isReachableFromOutside, listen } from './listen.ts'
import { buildServer, type Server } from './server.ts'
import { readTlsFiles, reloadTls } from './tls.ts'

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
    if (settings.metrics !== false) sources.figures = figures
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

/**
 * Opens and migrates the database, and seeds an empty one with demo data if wanted. `announce` prints the banner, or what
 * to do about an empty database. Throws StartError if the database cannot be used, or has the demo credentials and others
 * can reach the service. The caller closes the database.
 */
async function prepareStore(settings: ProcessSettings, wantsDemo: boolean) {
  const demo = wantsDemo && settings.environment !== 'production'
  const outside = await isReachableFromOutside(settings)
  const db = await openDatabase(settings.database, settings)
  try {
    if (outside) await refuseDemoCredentials(db, settings, demo)
    if (demo) await seedDemo(db, settings)
    const demoWorks = demo && (await findDemoCredentialRemedies(db)).length > 0
    const empty = await isEmpty(db)
    const announce = ({ listeningOrigin, log }: FastifyInstance) => {
      if (demo) console.error(formatBanner(listeningOrigin, settings, demoWorks))
      else if (empty) log.warn('the database is empty: see `product-templates user add`, `client add`')
    }
    return { db, announce }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** The demo credentials are public: they may be used on this machine only, not on a network. */
async function refuseDemoCredentials(db: Db, { host }: ProcessSettings, demo: boolean): Promise<void> {
  if (demo && (await isEmpty(db))) {
    const fix =
      'listen on a loopback address, or run `product-templates serve` without --demo and add your own accounts'
    throw new StartError('PTS_DEMO_CREDENTIALS', `no demo data on ${host}, which others can reach: ${fix}`)
  }
  const remedies = await findDemoCredentialRemedies(db)
  if (remedies.length === 0) return
  const commands = remedies.map(remedy => `\`${remedy}\``).join(', ')
  throw new StartError(
    'PTS_DEMO_CREDENTIALS',
    `the database has the demo credentials, and others can reach ${host}. Replace them first: ${commands}`
  )
}
