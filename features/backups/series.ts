import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Backup, writeBackup } from './backup.ts'
import { runInStage } from './files.ts'

interface SeriesBackup {
  name: string
  /** Milliseconds since the epoch. */
  time: number
}

const pattern = /^product-templates-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.db$/

/**
 * Lists the backups of the series in a directory, oldest first. Ignores other files, and backups from the future: the
 * clock was wrong when they were written.
 */
export async function listSeries(directory: string): Promise<SeriesBackup[]> {
  const names = (await readdir(directory)).sort()
  return names.flatMap(name => {
    const [, day, hour, minute, second] = pattern.exec(name) ?? []
    const time = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
    return time <= Date.now() ? [{ name, time }] : []
  })
}

/** Returns the milliseconds until the next backup is due. */
export function millisecondsUntilDue(newest: SeriesBackup | undefined, interval: number): number {
  return newest ? Math.max(0, newest.time + interval - Date.now()) : 0
}

/**
 * If a backup is due, adds it to the series in a directory and deletes old ones. `interval` is the milliseconds between
 * two backups, `keep` the number of backups that stay. Returns undefined if none is due or another process is writing
 * it. Rejects with CommandError or the reason of the signal.
 */
export function continueSeries(
  source: string,
  directory: string,
  { interval, keep }: { interval: number; keep: number },
  signal: AbortSignal
): Promise<(Backup & { deleted: string[] }) | undefined> {
  // All backups use the same stage, so that each removes what a killed one has left behind.
  const series = join(directory, 'product-templates')
  return runInStage(series, `cannot write to ${directory}`, async stage => {
    const newest = (await listSeries(directory)).at(-1)
    if (millisecondsUntilDue(newest, interval) > 0) return undefined
    const backup = await writeBackup(source, join(directory, makeName()), stage, { signal })
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

const makeName = (): string =>
  `product-templates-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`
