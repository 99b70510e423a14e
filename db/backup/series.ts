import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Backup, writeBackup } from './backup.ts'
import { inStage } from './files.ts'

/** A backup of the series in a directory. */
interface Dated {
  name: string
  /** Milliseconds since the epoch. */
  time: number
}

const pattern = /^product-templates-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.db$/

/** Lists the backups of the series, oldest first. Other files are none. */
export async function listSeries(directory: string): Promise<Dated[]> {
  const names = (await readdir(directory)).sort()
  return names.flatMap(name => {
    const [, day, hour, minute, second] = pattern.exec(name) ?? []
    const time = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
    return Number.isNaN(time) ? [] : [{ name, time }]
  })
}

/** Milliseconds until the next backup is due, never more than the interval. */
export function millisecondsUntilDue(newest: Dated | undefined, interval: number): number {
  if (!newest) return 0
  return Math.min(Math.max(0, newest.time + interval - Date.now()), interval)
}

/**
 * If a backup is due, adds it to the series in a directory and deletes all but the newest. `interval` is milliseconds
 * between two backups, `keep` the number that stays. Returns undefined if none is due or another process writes it. Rejects
 * with BackupError, or with the reason of the signal.
 */
export function continueSeries(
  source: string,
  directory: string,
  { interval, keep }: { interval: number; keep: number },
  signal: AbortSignal
): Promise<(Backup & { deleted: string[] }) | undefined> {
  // One stage for all, so that each backup removes what is left of any that was killed.
  const series = join(directory, 'product-templates')
  return inStage(series, `cannot write to ${directory}`, async stage => {
    const newest = (await listSeries(directory)).at(-1)
    if (millisecondsUntilDue(newest, interval) > 0) return undefined
    const backup = await writeBackup(source, join(directory, nameAfter(newest)), stage, { signal })
    return { ...backup, deleted: await deleteOld(directory, keep) }
  })
}

async function deleteOld(directory: string, keep: number): Promise<string[]> {
  const deleted = (await listSeries(directory)).slice(0, -keep).map(({ name }) => name)
  for (const name of deleted) {
    await rm(join(directory, name), { force: true })
    await rm(join(directory, `${name}.sha256`), { force: true })
  }
  return deleted
}

/** After the newest one even if the clock was set back, so that the order of the names is that of the backups. */
function nameAfter(newest: Dated | undefined): string {
  const time = new Date(Math.max(Date.now(), (newest?.time ?? 0) + 1000))
  return `product-templates-${time.toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`
}
