/**
 * The thread of `backup.ts` and `restore.ts`. It copies a database file, posts the bytes copied so far, and checks the
 * copy.
 */
import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { busyTimeout, openReader } from '../../db/dialects/sqlite/handle.ts'

/** Paths of a database file and of its copy. Without `source`, the copy exists already and is only checked. */
export interface CopyJob {
  source?: string
  part: string
}

/** Pages per step. The thread can end between two steps. */
const pagesPerStep = 1000

/** KiB. A larger cache would make copying and checking no faster, and the service may have little memory. */
const cacheSize = 2048

async function copy(source: string, part: string): Promise<void> {
  const file = openReader(source, cacheSize)
  file.pragma(`busy_timeout = ${busyTimeout}`)
  // Without a snapshot, the copy starts again whenever another process writes. In a mode other than WAL, which only the
  // database of a host has, a snapshot would make writers wait.
  if (file.pragma('journal_mode', { simple: true }) === 'wal') file.exec('begin')
  file.prepare('select count(*) from sqlite_schema').get()
  const pageSize = file.pragma('page_size', { simple: true }) as number
  await file.backup(part, {
    progress({ totalPages, remainingPages }) {
      const done = (totalPages - remainingPages) * pageSize
      parentPort?.postMessage({ done, total: totalPages * pageSize })
      return pagesPerStep
    }
  })
  file.close()
}

/** Checks a copy. Returns what is wrong with it, or undefined. */
function findDamage(part: string): string | undefined {
  try {
    const file = new Sqlite(part)
    file.pragma(`cache_size = -${cacheSize}`)
    // In this mode a database is one file, which can also be read in a directory that is read-only.
    file.pragma('journal_mode = DELETE')
    const found = file.pragma('integrity_check(1)', { simple: true }) as string
    file.close()
    return found === 'ok' ? undefined : found
  } catch (error) {
    return (error as Error).message
  }
}

// If an error is thrown, the end of the thread closes the open files.
try {
  const { source, part } = workerData as CopyJob
  if (source !== undefined) await copy(source, part)
  const damage = findDamage(part)
  const checked = source === undefined ? 'backup' : 'database'
  if (damage !== undefined) throw new Error(`the ${checked} is damaged: ${damage}`)
} catch (error) {
  // The message of a SqliteError would not reach the other thread.
  throw new Error((error as Error).message)
}
