/** The thread of `backup.ts`: copies one database file, checks the copy and hashes it. */
import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { openReader } from '../dialects/sqlite/file/open.ts'
import { busyTimeout } from '../dialects/sqlite/file/writers.ts'
import { hashFile } from './checksum.ts'

export interface CopyJob {
  source: string
  /** The copy; it does not exist yet. */
  part: string
}

/** Bytes copied so far, or the SHA-256 of the complete copy. */
export type CopyMessage = { done: number; total: number } | { sha256: string }

/** Pages copied in one step; the thread can be ended between two steps. */
const pagesPerStep = 1000

/** KiB. The service may have little memory; larger caches make copying and checking no faster. */
const cacheSize = 2048

const send = (message: CopyMessage): void => parentPort?.postMessage(message)

async function copySnapshot({ source, part }: CopyJob): Promise<void> {
  const file = openReader(source, cacheSize)
  try {
    file.pragma(`busy_timeout = ${busyTimeout}`)
    // Without a snapshot, the copy starts again whenever another process has written. In any other mode, which only a
    // host's own database has, a snapshot would make writers wait.
    if (file.pragma('journal_mode', { simple: true }) === 'wal') file.exec('begin')
    file.prepare('select count(*) from sqlite_schema').get()
    const pageSize = file.pragma('page_size', { simple: true }) as number
    await file.backup(part, {
      progress({ totalPages, remainingPages }) {
        send({ done: (totalPages - remainingPages) * pageSize, total: totalPages * pageSize })
        return pagesPerStep
      }
    })
  } finally {
    file.close()
  }
}

function check(part: string): void {
  const file = new Sqlite(part, { fileMustExist: true })
  try {
    file.pragma(`cache_size = -${cacheSize}`)
    // One file, also readable where nothing can be written beside it.
    file.pragma('journal_mode = DELETE')
    const found = file.pragma('integrity_check(1)', { simple: true })
    if (found !== 'ok') throw new Error(`the database is damaged: ${found}`)
  } finally {
    file.close()
  }
}

async function copy(job: CopyJob): Promise<void> {
  await copySnapshot(job)
  check(job.part)
  send({ sha256: await hashFile(job.part) })
}

await copy(workerData as CopyJob).catch(({ message }: Error) => {
  // Of an error of SQLite, the message would not reach the other thread.
  throw new Error(message)
})
