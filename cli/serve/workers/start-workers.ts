import closeWithGrace from 'close-with-grace'
import pino from 'pino'
import type { ProcessSettings } from '../../../options.ts'
import { shutdownMilliseconds } from '../drain/shutdown.ts'
import type { HealthServer } from '../health/health-server.ts'
import { logOptions } from '../observe/log.ts'
import { announce, prepareStore } from '../prepare.ts'
import { clearSocketPath, formatListening } from '../server/listen.ts'
import { onHangUp } from '../server/reload.ts'
import { readTlsFiles } from '../server/tls.ts'
import { Workers } from './workers.ts'

/** Milliseconds after which the workers have ended by their own timeout. */
const moreForWorkers = 2000

/**
 * Starts the service in worker processes, which run until a signal to this one, the primary process. This one migrates
 * and seeds the database, and then only supervises. Throws the reason if a worker cannot start.
 */
export async function start(settings: ProcessSettings, demo: boolean): Promise<void> {
  // Refuses unusable ones before anything is opened.
  readTlsFiles(settings)
  // It needs Fastify, which this process loads for nothing else.
  const health =
    settings.healthPort === undefined
      ? undefined
      : await (await import('../health/health-server.ts')).openHealthServer(settings)
  try {
    await startWorkers(settings, demo, health)
  } catch (error) {
    await health?.close()
    throw error
  }
}

async function startWorkers(settings: ProcessSettings, demo: boolean, health?: HealthServer): Promise<void> {
  const { db, ...found } = await prepareStore(settings, demo)
  await db.destroy()
  await clearSocketPath(settings)
  const { stream, ...options } = await logOptions(settings)
  const log = pino(options, stream)
  // They connect to it in the name of this process.
  if (settings.socketPath !== undefined) process.umask(0o077)
  const workers = new Workers(settings, log, err => {
    log.fatal({ err }, 'no worker can start, closing')
    process.exit(1)
  })
  // Also after the second signal, and at the end of the timeout.
  process.once('exit', () => workers.kill())
  const delay = shutdownMilliseconds(settings) + moreForWorkers
  const grace = closeWithGrace({ delay, logger: log, skip: ['SIGHUP'] }, async ({ err, signal }) => {
    if (err) log.fatal({ err }, 'unexpected error, closing')
    else log.info({ signal }, 'closing')
    await workers.close()
  })
  onHangUp(() => workers.reload(), grace.close)
  try {
    const { addresses, origin } = await workers.start()
    for (const address of addresses) log.info(formatListening(address))
    health?.serve({ readiness: () => workers.readiness() })
    announce(settings, found, { origin, log })
  } catch (error) {
    grace.uninstall()
    throw error
  }
}
