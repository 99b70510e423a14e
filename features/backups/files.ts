import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { access, mkdir, open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Sqlite from 'better-sqlite3'
import { isBusy } from '../../db/dialects/sqlite/handle.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { CommandError } from '../../terminal/command.ts'

/**
 * Runs a job that writes `target`, with a directory beside it for incomplete files, which is removed afterwards.
 * Returns undefined if another process runs a job for the same target. An error becomes a CommandError that begins with
 * `failure`, unless it is a StartError or the reason of a signal.
 */
export async function runInStage<T>(
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
    // A process that was killed has left it behind.
    await removeStage(stage)
    await mkdir(stage, { mode: 0o700 })
    return await job(stage)
  } catch (error) {
    const { name, message } = error as Error
    if (error instanceof CommandError || error instanceof StartError || name === 'AbortError') throw error
    throw new CommandError(`${failure}: ${message}`, 1, { cause: error })
  } finally {
    if (lock) {
      await removeStage(stage)
      await rm(`${hidden}.lock`, { force: true })
      lock.close()
    }
  }
}

/** Removes the directory, by several attempts: a thread that was told to end may still write into it. */
const removeStage = (stage: string): Promise<void> =>
  rm(stage, { recursive: true, force: true, maxRetries: 5 })

/** Locks a file until it is closed. Returns undefined if another process has locked it. */
function takeLock(path: string): Sqlite.Database | undefined {
  const file = new Sqlite(path, { timeout: 0 })
  try {
    // Writes nothing, not even a journal, because the disk may be full.
    file.pragma('journal_mode = MEMORY')
    file.exec('begin exclusive')
    return file
  } catch (error) {
    file.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/** Makes a file or the entries of a directory survive a power failure. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const isSame = (one: Stats, other: Stats): boolean => one.dev === other.dev && one.ino === other.ino

/** Returns undefined for the error of a missing file. Throws any other error. */
export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Computes the SHA-256 of a file, hex. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const bytes = createReadStream(path, { highWaterMark: 2 ** 20 })
  await pipeline(bytes, hash, { ...(signal && { signal }) })
  return hash.digest('hex')
}
