/** The thread of `backup.ts`. It copies a database file, posts the bytes copied so far, and checks the copy. */
import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { busyTimeout, openReader } from '../../db/dialects/sqlite/handle.ts'

/** Paths of a database file and of its copy, which does not exist yet. */
export type CopyJob = Record<'source' | 'part', string>

/** Pages per step. The thread can end between two steps. */
const pagesPerStep = 1000

/** KiB. A larger cache would make copying and checking no faster, and the service may have little memory. */
const cacheSize = 2048

async function copy({ source, part }: CopyJob): Promise<void> {
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

function check(part: string): void {
  const file = new Sqlite(part)
  file.pragma(`cache_size = -${cacheSize}`)
  // In this mode a database is one file, which can also be read in a directory that is read-only.
  file.pragma('journal_mode = DELETE')
  const found = file.pragma('integrity_check(1)', { simple: true })
  file.close()
  if (found !== 'ok') throw new Error(`the database is damaged: ${found}`)
}

// If an error is thrown, the end of the thread closes the open files.
try {
  const job = workerData as CopyJob
  await copy(job)
  check(job.part)
} catch (error) {
  // The message of a SqliteError would not reach the other thread.
  throw new Error((error as Error).message)
}
