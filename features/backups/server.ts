import fp from 'fastify-plugin'
import { engineOf } from '../../db/dialects/engine.ts'
import { repeatUntilClose } from '../../plugins/repeat-until-close.ts'
import type { ServerAddition } from '../../routes/server-addition.ts'
import { StartError } from '../../runtime/host-errors.ts'
import type { BackupSettings } from './index.ts'
import { continueSeries, listSeries, millisecondsUntilDue } from './series.ts'

/** Maximum milliseconds until the next attempt after a failure. */
const maxRetryDelayMs = 600_000

/**
 * Writes a backup of the SQLite file at each interval, on a thread. A restart does not begin a new interval. A
 * failure is only logged. Throws StartError if the database is not a file.
 */
export const backups = fp<BackupSettings>(
  async (app, { backupDir, backupInterval, backupKeep }) => {
    if (backupDir === undefined) return
    const source = await engineOf(app.productStore).findFile(app.productStore)
    if (source === undefined)
      throw new StartError('PTS_BAD_OPTION', 'BACKUP_DIR is for SQLite files. For PostgreSQL, use pg_dump')
    const interval = backupInterval * 1000

    repeatUntilClose(app, async signal => {
      const begun = performance.now()
      try {
        const written = await continueSeries(source, backupDir, { interval, keep: backupKeep }, signal)
        const newest = (await listSeries(backupDir)).at(-1)
        const milliseconds = Math.round(performance.now() - begun)
        if (written) app.log.info({ ...written, milliseconds }, 'backup written')
        // If a backup is still due, another process is writing it, or it took longer than the interval.
        return millisecondsUntilDue(newest, interval) || Math.min(interval, maxRetryDelayMs)
      } catch (err) {
        if (signal.aborted) return 0
        app.log.error({ err, directory: backupDir }, 'the backup failed')
        return Math.min(interval, maxRetryDelayMs)
      }
    })
  },
  { name: 'product-backups', fastify: '5.x', dependencies: ['product-store'] }
)

export const server: ServerAddition = { plugin: backups }
