import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { access, mkdir, open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Sqlite from 'better-sqlite3'
import { BackupError, StartError } from '../../errors.ts'
import { isBusy } from '../dialects/sqlite/file/writers.ts'

/**
 * Runs a job that writes `target`, with a directory beside it for what is not complete yet. Only one process at a time
 * runs such a job, and nothing is left of the directory. Returns undefined if another process runs one. What fails is a
 * BackupError that begins with `failure`, unless it is StartError or the reason of a signal.
 */
export async function inStage<T>(
  target: string,
  failure: string,
  job: (stage: string) => Promise<T>
): Promise<T | undefined> {
  const hidden = join(dirname(target), `.${basename(target)}`)
  const stage = `${hidden}.part`
  let lock: Sqlite.Database | undefined
  try {
    await access(dirname(target))
    lock = takeLock(`${hidden}.lock`)
    if (!lock) return undefined
    // Of a process that was killed.
    await removeStage(stage)
    await mkdir(stage, { mode: 0o700 })
    return await job(stage)
  } catch (error) {
    const { name, message } = error as Error
    if (error instanceof BackupError || error instanceof StartError || name === 'AbortError') throw error
    throw new BackupError(`${failure}: ${message}`, { cause: error })
  } finally {
    if (lock) {
      await removeStage(stage)
      await rm(`${hidden}.lock`, { force: true })
      lock.close()
    }
  }
}

/** A thread that was stopped may still write, so that the directory is not empty at the first attempt. */
const removeStage = (stage: string): Promise<void> =>
  rm(stage, { recursive: true, force: true, maxRetries: 5 })

/** Locks a file for one process, as long as it is open; returns undefined if another process has the lock. */
function takeLock(path: string): Sqlite.Database | undefined {
  const file = new Sqlite(path, { timeout: 0 })
  try {
    // Nothing is written, also not a journal: the disk may be full.
    file.pragma('journal_mode = MEMORY')
    file.exec('begin exclusive')
    return file
  } catch (error) {
    file.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/** Makes what is stored of a file or a directory survive a power failure. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const isSame = (one: Stats, other: Stats): boolean => one.dev === other.dev && one.ino === other.ino

/** Turns the error for a missing file into undefined; throws any other. */
export function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Returns the SHA-256 of a file in hexadecimal digits. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash)
  return hash.digest('hex')
}
