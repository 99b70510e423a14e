import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../db/schema.ts'
import type { ProcessSettings } from '../../options.ts'
import type { Siblings } from '../../plugins/siblings.ts'
import { CommandError } from '../terminal/command.ts'
import { Shutdown, shutdownMilliseconds } from './drain/shutdown.ts'
import { type FormatAddress, listen } from './listen.ts'
import { buildServer } from './server.ts'

export interface RunningServer {
  app: FastifyInstance
  /** Does what the first signal does; nothing if the server is closing. */
  close(): void
}

export interface AsWorker {
  siblings: Siblings
  formatAddress: FormatAddress
}

/** Terminals and systemd send these to each process of a group. */
const groupSignals: ('SIGHUP' | 'SIGINT' | 'SIGTERM')[] = ['SIGHUP', 'SIGINT', 'SIGTERM']

/** Runs the server until a signal, then ends the process. Throws CommandError if it cannot listen. */
export async function runServer(
  settings: ProcessSettings,
  db: Db,
  worker?: AsWorker
): Promise<RunningServer> {
  const shutdown = new Shutdown()
  const app = await buildServer(settings, db, { siblings: worker?.siblings, shutdown })
  // A worker may get the signal and the same from the primary process: that is no second signal.
  const skip = worker ? groupSignals : []
  let closing = false
  // Before it listens, so that no signal arrives without a handler.
  const delay = shutdownMilliseconds(settings)
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
  for (const signal of skip) process.on(signal, close)
  try {
    await listen(app, settings, { connections: shutdown.connections, formatAddress: worker?.formatAddress })
    return { app, close }
  } catch (error) {
    grace.uninstall()
    await app.close()
    const { code, message } = error as NodeJS.ErrnoException
    throw code ? new CommandError(`cannot listen: ${message}`) : error
  }
}
