/** The thread of `backup.ts`: copies one database file, checks the copy and hashes it. */
import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { openReader } from '../dialects/sqlite/open.ts'
import { busyTimeout } from '../dialects/sqlite/writers.ts'
import { findDamage } from './damage.ts'
import { hashFile } from './hash-file.ts'

export interface CopyJob {
  source: string
  /** An empty file. */
  part: string
}

export interface Copied {
  bytes: number
  /** Of the copy, in hexadecimal digits. */
  sha256: string
}

/** What the thread says: the bytes copied so far, then the result or why there is none. */
export type CopyMessage =
  | { type: 'progress'; done: number; total: number }
  | { type: 'copied'; copied: Copied }
  | { type: 'failed'; message: string; code: string | undefined }

/** Pages copied in one step; the thread can be ended between two steps. */
const pagesPerStep = 1000

/** KiB. The service may have little memory; larger caches make copying and checking no faster. */
const cacheSize = 2048

const say = (message: CopyMessage): void => parentPort?.postMessage(message)

async function copy({ source, part }: CopyJob): Promise<void> {
  await copySnapshot(source, part)
  const file = new Sqlite(part, { fileMustExist: true })
  try {
    file.pragma(`cache_size = -${cacheSize}`)
    // One file, also readable where nothing can be written beside it.
    file.pragma('journal_mode = DELETE')
    // Tells others that the file is not abandoned.
    file.exec('begin exclusive')
    const damage = findDamage(file)
    if (damage !== undefined) throw new Error(`the database is damaged: ${damage}`)
    say({ type: 'copied', copied: hashFile(part) })
  } finally {
    file.close()
  }
}

async function copySnapshot(source: string, part: string): Promise<void> {
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
        say({
          type: 'progress',
          done: (totalPages - remainingPages) * pageSize,
          total: totalPages * pageSize
        })
        return pagesPerStep
      }
    })
  } finally {
    file.close()
  }
}

copy(workerData as CopyJob).catch(({ message, code }: NodeJS.ErrnoException) =>
  say({ type: 'failed', message, code })
)
