import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { isBusy } from '../dialects/sqlite/file/writers.ts'
import { type Backup, backupFile } from './backup.ts'
import { checksumFile, removeAbandonedParts } from './files.ts'

/** A backup of the series in a directory. */
export interface Dated {
  name: string
  /** Milliseconds since the epoch. */
  time: number
}

/** What a series is like: milliseconds between its backups, and how many are kept. */
interface SeriesOptions {
  interval: number
  keep: number
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
 * If a backup is due, adds it to the series in a directory and deletes all but the newest. Returns undefined if none is
 * due or another process writes it. Rejects with BackupError or the error of the system, or with the reason of the signal.
 */
export async function continueSeries(
  source: string,
  directory: string,
  { interval, keep }: SeriesOptions,
  signal: AbortSignal
): Promise<(Backup & { deleted: string[] }) | undefined> {
  const isDue = async () => millisecondsUntilDue((await listSeries(directory)).at(-1), interval) === 0
  if (!(await isDue())) return undefined
  const lock = lockSeries(directory)
  if (!lock) return undefined
  try {
    // Another process may have written it just now.
    return (await isDue()) ? await addBackup(source, directory, keep, signal) : undefined
  } finally {
    lock.close()
  }
}

/** Locks the series for one process, as long as the file is open; returns undefined if another process has the lock. */
function lockSeries(directory: string): Sqlite.Database | undefined {
  const file = new Sqlite(join(directory, '.product-templates.lock'), { timeout: 0 })
  try {
    file.exec('begin exclusive')
    return file
  } catch (error) {
    file.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

async function addBackup(source: string, directory: string, keep: number, signal: AbortSignal) {
  await removeAbandonedParts(directory, name => pattern.test(name))
  const newest = (await listSeries(directory)).at(-1)
  const backup = await backupFile(source, join(directory, nameAfter(newest)), { signal })
  const deleted = (await listSeries(directory)).slice(0, -keep).map(({ name }) => name)
  for (const name of deleted) {
    await rm(join(directory, name), { force: true })
    await rm(checksumFile(join(directory, name)), { force: true })
  }
  return { ...backup, deleted }
}

/** After the newest one even if the clock was set back, so that the order of the names is that of the backups. */
function nameAfter(newest: Dated | undefined): string {
  const time = new Date(Math.max(Date.now(), (newest?.time ?? 0) + 1000))
  return `product-templates-${time.toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`
}
