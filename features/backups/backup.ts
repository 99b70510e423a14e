import { once } from 'node:events'
import { access, chmod, constants, lstat, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { cannotUse } from '../../db/dialects/sqlite/open.ts'
import { locateMain } from '../../runtime/package/package-files.ts'
import { CommandError } from '../../terminal/command.ts'
import type { CopyJob } from './copy-worker.ts'
import { hashFile, ignoreMissing, isSame, runInStage, sync } from './files.ts'

interface BackupOptions {
  /** Replace an existing file. */
  replace?: boolean
  /** Called with bytes. */
  progress?: (done: number, total: number) => void
  signal?: AbortSignal
}

export interface Backup {
  /** An absolute path. */
  file: string
  bytes: number
  /** Hexadecimal digits. */
  sha256: string
}

/** Bytes that stay free on the disk of the database itself. */
const reservedBytes = 16 * 2 ** 20

/**
 * Copies a database file while others read and write it. The copy has the state of one moment, is checked, and has its
 * checksum in a file beside it. A thread does the work. The copy appears under its name only when all is complete. If
 * it fails before, it rejects with {@link CommandError}, the reason of the signal or, for an unreadable database,
 * StartError, and leaves nothing behind. After that, only renaming the checksum and the last sync can fail; then the
 * copy stays.
 */
export async function backupFile(source: string, file: string, options: BackupOptions = {}): Promise<Backup> {
  const target = resolve(file)
  const made = await runInStage(target, `cannot write ${target}`, stage =>
    writeBackup(source, target, stage, options)
  )
  if (!made) throw new CommandError(`cannot write ${target}: another backup is writing it`)
  return made
}

/** Writes a backup into the directory `stage`, and renames it to `target` when it is complete. */
export async function writeBackup(
  source: string,
  target: string,
  stage: string,
  { replace = false, ...options }: BackupOptions
): Promise<Backup> {
  await access(source, constants.R_OK).catch(error => {
    throw cannotUse(source, error)
  })
  await checkTarget(source, target, replace)
  await checkSpace(source, target)
  const part = join(stage, 'copy.db')
  await copyOnThread({ source, part }, options)
  // Reading a large file takes as long as copying it.
  const [sha256, { size: bytes }] = [await hashFile(part, options.signal), await stat(part)]
  await publish(part, target, sha256)
  return { file: target, bytes, sha256 }
}

/**
 * Copies a database file and checks the copy on a thread, because the check would block the event loop for seconds.
 * Without `source`, it only checks. Rejects if the signal aborts. The thread then ends after the step in progress.
 */
export async function copyOnThread(job: CopyJob, { progress, signal }: BackupOptions): Promise<void> {
  signal?.throwIfAborted()
  // Without the options of the process: they may be meant for its main file only.
  const worker = new Worker(locateMain('features/backups/copy-worker'), { workerData: job, execArgv: [] })
  worker.on('message', ({ done, total }) => progress?.(done, total))
  try {
    await once(worker, 'exit', signal && { signal })
  } finally {
    // Aborted, it may fail before it ends, for example because the disk is full.
    worker.on('error', () => {})
    void worker.terminate()
  }
}

async function checkTarget(source: string, target: string, replace: boolean): Promise<void> {
  const found = await lstat(target).catch(ignoreMissing)
  if (!found) return
  if (!found.isFile()) throw new CommandError(`${target} is not a file`)
  for (const suffix of ['', '-wal', '-shm']) {
    const own = await stat(source + suffix).catch(ignoreMissing)
    if (own && isSame(own, found)) throw new CommandError(`${target} belongs to the database itself`)
  }
  if (!replace) throw new CommandError(`${target} exists: give --force to replace it`)
}

/** Throws if the disk has too little space. A full disk would harm a service whose database is on it. */
async function checkSpace(source: string, target: string): Promise<void> {
  const directory = dirname(target)
  const [from, into, { bavail, bsize }] = [await stat(source), await stat(directory), await statfs(directory)]
  const needed = from.size + (from.dev === into.dev ? reservedBytes : 0)
  const free = bavail * bsize
  if (free < needed)
    throw new CommandError(
      `cannot write ${target}: the copy needs ${formatMebibytes(needed)}, but only ${formatMebibytes(free)} are free`
    )
}

const formatMebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** Writes both files, then renames them. Removes the old checksum first, so that the new file does not look damaged. */
async function publish(part: string, target: string, sha256: string): Promise<void> {
  await writeFile(`${part}.sha256`, formatChecksum(sha256, basename(target)), { mode: 0o600, flush: true })
  await chmod(part, 0o600)
  await sync(part)
  await rm(`${target}.sha256`, { force: true })
  await rename(part, target)
  await rename(`${part}.sha256`, `${target}.sha256`)
  await sync(dirname(target))
}

/** Formats a checksum for `sha256sum --check`. */
function formatChecksum(sha256: string, name: string): string {
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return `${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`
}
