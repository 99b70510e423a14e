import { on } from 'node:events'
import { lstat, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { locateMain } from '../../files/locate.ts'
import type { Copied, CopyJob, CopyMessage } from './copy-worker.ts'
import {
  checksumFile,
  checksumSuffix,
  createPart,
  formatChecksum,
  ifMissing,
  isSame,
  removePart,
  sync
} from './files.ts'

/** A backup was not made, or not restored. The message is one line that says why. */
export class BackupError extends Error {}
/** The target exists, and may not be replaced. */
export class FileExists extends BackupError {}

export interface BackupOptions {
  /** Replace an existing file. */
  replace?: boolean
  /** Called with bytes. */
  progress?: (done: number, total: number) => void
  signal?: AbortSignal
}

export interface Backup extends Copied {
  /** An absolute path. */
  file: string
}

/** Bytes left free on the disk of the database itself. */
const reserve = 16 * 2 ** 20

/**
 * Copies a database file while others read and write it: its state at one moment, checked, in one file with a checksum
 * beside it. Works on a thread. The target appears only when both are complete. If this rejects before, with
 * {@link BackupError} or with the reason of the signal, nothing is left of it. Afterwards only the renaming of the
 * checksum and the last sync can fail; then the backup stays.
 */
export async function backupFile(
  source: string,
  file: string,
  { replace = false, ...options }: BackupOptions = {}
): Promise<Backup> {
  const target = resolve(file)
  let part: string | undefined
  try {
    await checkTarget(source, target, replace)
    part = await createPart(target)
    await checkSpace(source, target)
    const copied = await copyOnThread({ source, part }, options)
    await checkTarget(source, target, replace)
    await publish(part, target, copied.sha256)
    return { file: target, ...copied }
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason
    if (error instanceof BackupError) throw error
    throw new BackupError(`cannot write ${target}: ${(error as Error).message}`, { cause: error })
  } finally {
    if (part !== undefined) await removePart(part)
  }
}

/**
 * Copies a database file into an empty one and checks the copy, on a thread: a check or the last sync would block the
 * event loop for seconds. Rejects if the signal aborts; the thread then ends after the step in progress.
 */
async function copyOnThread(job: CopyJob, { progress, signal }: BackupOptions): Promise<Copied> {
  signal?.throwIfAborted()
  // Without the options of the process, which may be meant for its main file only.
  const worker = new Worker(locateMain('db/backup/copy-worker'), { workerData: job, execArgv: [] })
  try {
    const messages = on(worker, 'message', { close: ['exit'], ...(signal && { signal }) })
    for await (const [message] of messages as AsyncIterable<[CopyMessage]>) {
      if ('sha256' in message) return message
      progress?.(message.done, message.total)
    }
    throw new Error('the thread of the backup has ended')
  } finally {
    void worker.terminate()
  }
}

async function checkTarget(source: string, target: string, replace: boolean): Promise<void> {
  const found = await lstat(target).catch(ifMissing)
  if (!found) return
  if (!found.isFile()) throw new BackupError(`${target} is not a file`)
  for (const suffix of ['', '-wal', '-shm']) {
    const own = await stat(source + suffix).catch(ifMissing)
    if (own && isSame(own, found)) throw new BackupError(`${target} belongs to the database itself`)
  }
  if (!replace) throw new FileExists(`${target} exists`)
}

/** A disk that is full harms the service whose database is on it. */
async function checkSpace(source: string, target: string): Promise<void> {
  const directory = dirname(target)
  const [from, into, { bavail, bsize }] = [await stat(source), await stat(directory), await statfs(directory)]
  const needed = from.size + (from.dev === into.dev ? reserve : 0)
  const free = bavail * bsize
  if (free < needed)
    throw new BackupError(
      `cannot write ${target}: it needs ${inMebibytes(needed)}, ${inMebibytes(free)} are free`
    )
}

const inMebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** Writes both files before it renames them. Removes the old checksum first, so that the new file does not look damaged. */
async function publish(part: string, target: string, sha256: string): Promise<void> {
  const checksum = checksumFile(target)
  const checksumPart = part + checksumSuffix
  await writeFile(checksumPart, formatChecksum(sha256, target), { mode: 0o600, flush: true })
  await sync(part)
  await rm(checksum, { force: true })
  await rename(part, target)
  await rename(checksumPart, checksum)
  await sync(dirname(target))
}
