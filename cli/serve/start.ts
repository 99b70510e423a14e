import type { AddressInfo } from 'node:net'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../db/schema.ts'
import { openDatabase } from '../../features/database.ts'
import type { ProcessSettings } from '../../options/index.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { findDemoCredentialRemedies } from '../../seeds/accounts.ts'
import { isEmpty, seedDemo } from '../../seeds/seed.ts'
import { formatBanner } from './banner.ts'
import { computeShutdownMs } from './drain/drain.ts'
import { type HealthSources, openHealthServer } from './health-server.ts'
import { isReachableFromOutside, listen } from './listen.ts'
import { buildServer, type Server } from './server.ts'
import { readTlsFiles, reloadTls } from './tls.ts'

/** Starts the service in this process. The service runs until a signal. */
export async function start(settings: ProcessSettings, wantsDemo: boolean): Promise<void> {
  const started = Promise.withResolvers<Server>()
  // Without a handler from the beginning, SIGHUP would end the process. On a terminal, it means that it was closed.
  if (!process.stdout.isTTY)
    process.on('SIGHUP', async () => {
      const { app, servers } = await started.promise
      reloadTls(settings, files => servers.setTls(files), app.log)
    })
  // Unusable TLS files are refused before anything is opened.
  const tls = readTlsFiles(settings)
  const sources: HealthSources = {}
  const health = await openHealthServer(settings, sources)
  let db: Db | undefined
  let server: Server | undefined
  try {
    const store = await prepareStore(settings, wantsDemo)
    db = store.db
    server = await buildServer(settings, db, tls)
    const { app, servers, readiness, metricsRegistry } = server
    const close = closeOnSignals(settings, server, db)
    await listen(app, servers, settings)
    started.resolve(server)
    process.once('disconnect', close)
    sources.readiness = readiness
    if (settings.metrics !== false) sources.metricsRegistry = metricsRegistry
    store.announce(app)
    const { port } = app.server.address() as AddressInfo
    process.send?.({ port })
  } catch (error) {
    await Promise.all([health?.close(), server?.app.close()])
    await db?.destroy()
    throw error
  }
}

/** Shuts down gracefully on a signal or an unexpected error. Returns a function that starts the same shutdown. */
function closeOnSignals(settings: ProcessSettings, { app, drain }: Server, db: Db): () => void {
  // Registered before the server listens, so that no signal arrives without a handler.
  const delay = computeShutdownMs(settings)
  // A worker gets a signal twice: terminals and systemd signal the whole group, and the supervisor passes signals on.
  // Only the first may count.
  const ownSignals = process.connected ? (['SIGINT', 'SIGTERM'] as const) : []
  let isClosing = false
  // `beforeExit` means that the process has failed to start.
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
  if (process.stdout.isTTY) process.on('SIGHUP', close)
  return close
}

/**
 * Opens and migrates the database, and with `wantsDemo` fills an empty one with demo data. The returned `announce`
 * prints the banner, or a hint for an empty database. Throws StartError if the database cannot be used, or if it has
 * the demo credentials and other machines can reach the service. The caller closes the database.
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
      if (wantsDemo && !demo) log.warn('--demo is ignored, because NODE_ENV is production')
      if (demo) console.error(formatBanner(listeningOrigin, settings, demoWorks))
      else if (empty) log.warn('the database is empty: see `product-templates user add`, `client add`')
    }
    return { db, announce }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** Throws StartError if the database has or would get the public demo credentials: only this machine may use them. */
async function refuseDemoCredentials(db: Db, { host }: ProcessSettings, demo: boolean): Promise<void> {
  if (demo && (await isEmpty(db))) {
    const fix =
      'listen on a loopback address, or run `product-templates serve` without --demo and add your own accounts'
    throw new StartError(
      'PTS_DEMO_CREDENTIALS',
      `no demo data on ${host}, which other machines can reach: ${fix}`
    )
  }
  const remedies = await findDemoCredentialRemedies(db)
  if (remedies.length === 0) return
  const commands = remedies.map(remedy => `\`${remedy}\``).join(', ')
  throw new StartError(
    'PTS_DEMO_CREDENTIALS',
    `the database has the demo credentials, and other machines can reach ${host}. Replace the credentials first: ${commands}`
  )
}
