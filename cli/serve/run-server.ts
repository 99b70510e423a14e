import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../db/schema.ts'
import { Metrics } from '../../metrics/metrics.ts'
import type { ProcessSettings } from '../../options.ts'
import type { Siblings } from '../../plugins/siblings.ts'
import { CommandError } from '../terminal/command.ts'
import { Shutdown, shutdownMilliseconds } from './drain/shutdown.ts'
import { HttpServers } from './server/http-server.ts'
import { type FormatAddress, listen } from './server/listen.ts'
import { onHangUp, reloadTls } from './server/reload.ts'
import { buildServer } from './server/server.ts'
import { readTlsFiles } from './server/tls.ts'

export interface RunningServer {
  app: FastifyInstance
  figures: Metrics
  /** Does what the first signal does; nothing if the server is closing. */
  close(): void
  /** Does what SIGHUP does. */
  reload(): void
}

export interface AsWorker {
  siblings: Siblings
  figures: Metrics
  formatAddress: FormatAddress
}

/** Terminals and systemd send these to each process of a group. */
const groupSignals: ('SIGINT' | 'SIGTERM')[] = ['SIGINT', 'SIGTERM']

/** Runs the server until a signal, then ends the process. Throws CommandError if it cannot listen. */
export async function runServer(
  settings: ProcessSettings,
  db: Db,
  worker?: AsWorker
): Promise<RunningServer> {
  const shutdown = new Shutdown()
  const servers = new HttpServers(shutdown.connections, readTlsFiles(settings))
  const figures = worker?.figures ?? new Metrics()
  const app = await buildServer(settings, db, { siblings: worker?.siblings, shutdown, servers, figures })
  // A worker may get the signal and the same from the primary process: that is no second signal.
  const own = worker ? groupSignals : []
  let closing = false
  // Before it listens, so that no signal arrives without a handler.
  const delay = shutdownMilliseconds(settings)
  const skip = ['SIGHUP' as const, ...own]
  const grace = closeWithGrace({ delay, logger: app.log, skip }, async ({ err, signal }) => {
    closing = true
    if (err) app.log.fatal({ err }, 'unexpected error, closing')
    else app.log.info({ signal }, 'closing')
    await shutdown.run(err ? 0 : settings.shutdownDelay)
    await app.close()
    await db.destroy()
  })
  const close = () => {
    if (!closing) grace.close()
  }
  const reload = () => reloadTls(settings, servers, app.log)
  for (const signal of own) process.on(signal, close)
  onHangUp(reload, close)
  try {
    await listen(app, settings, { servers, formatAddress: worker?.formatAddress })
    return { app, figures, close, reload }
  } catch (error) {
    grace.uninstall()
    await app.close()
    const { code, message } = error as NodeJS.ErrnoException
    throw code ? new CommandError(`cannot listen: ${message}`) : error
  }
}
