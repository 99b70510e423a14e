/** The thread of `backup.ts`: copies one database file and checks the copy; posts bytes copied so far. */
import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { openReader } from '../dialects/sqlite/file/open.ts'
import { busyTimeout } from '../dialects/sqlite/file/writers.ts'

/** `part` is the copy, which does not exist yet. */
export type CopyJob = Record<'source' | 'part', string>

/** Pages copied in one step; the thread can be ended between two steps. */
const pagesPerStep = 1000

/** KiB. The service may have little memory; larger caches make copying and checking no faster. */
const cacheSize = 2048

async function copy({ source, part }: CopyJob): Promise<void> {
  const file = openReader(source, cacheSize)
  file.pragma(`busy_timeout = ${busyTimeout}`)
  // Without a snapshot, the copy starts again whenever another process has written. In any other mode, which only a
  // host's own database has, a snapshot would make writers wait.
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
  // One file, also readable where nothing can be written beside it.
  file.pragma('journal_mode = DELETE')
  const found = file.pragma('integrity_check(1)', { simple: true })
  file.close()
  if (found !== 'ok') throw new Error(`the database is damaged: ${found}`)
}

// What is open when one of them throws ends with the thread.
try {
  const job = workerData as CopyJob
  await copy(job)
  check(job.part)
} catch (error) {
  // Of an error of SQLite, the message would not reach the other thread.
  throw new Error((error as Error).message)
}
