import { createWriteStream } from 'node:fs'
import { lstat, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandError } from './command.ts'

/**
 * Writes text to a file, or to standard output for `-`. A complete temporary file replaces the file. Returns false if
 * the reader of a pipe has closed it.
 */
export async function writeOutput(file: string, text: AsyncIterable<string | Uint8Array>): Promise<boolean> {
  if (file === '-') return writePipe(process.stdout, text)
  const target = await realpath(file).catch(() => file)
  const existing = await lstat(target).catch(() => undefined)
  // A device or a named pipe cannot be replaced.
  if (existing && !existing.isFile())
    return writePipe(createWriteStream(target), text).catch(throwFileError(file))
  const part = makeTemporaryPath(target)
  const mode = existing?.mode ?? 0o666
  await replaceAtomically(part, target, signal =>
    pipeline(text, createWriteStream(part, { flags: 'wx', mode, flush: true }), { signal })
  ).catch(throwFileError(file))
  return true
}

async function writePipe(pipe: Writable, text: AsyncIterable<string | Uint8Array>): Promise<boolean> {
  try {
    await pipeline(Readable.from(text, { objectMode: false }), pipe, { end: pipe !== process.stdout })
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'EPIPE') return false
    throw error
  }
}

/** Returns the path of the temporary file or folder beside the target. */
export const makeTemporaryPath = (target: string): string =>
  join(dirname(target), `.${basename(target)}.${process.pid}.part`)

/** Fills a temporary file or folder, and renames it to the target. Removes it after a failure or a signal. */
export const replaceAtomically = (
  part: string,
  target: string,
  fill: (signal: AbortSignal) => Promise<void>
): Promise<void> =>
  runUntilSignal(async signal => {
    try {
      await fill(signal)
      await rename(part, target)
    } catch (error) {
      // Writes that are still running may add files to the folder, so the first attempt can fail.
      await rm(part, { recursive: true, force: true, maxRetries: 5 })
      throw error
    }
  })

/** Makes a function that rethrows a file system error as a CommandError with the name of the file. */
export const throwFileError =
  (file: string) =>
  (error: unknown): never => {
    const { code, syscall } = error as { code?: string; syscall?: string }
    if (syscall === undefined) throw error
    throw new CommandError(`cannot write ${file}: ${code}`)
  }

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a job that a signal stops. When the job has cleaned up and rejected, the signal ends the process. Further
 * signals have no effect meanwhile.
 */
export async function runUntilSignal<T>(job: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController()
  let received: NodeJS.Signals | undefined
  const stop = (signal: NodeJS.Signals) => {
    received ??= signal
    stopping.abort()
  }
  for (const signal of signals) process.on(signal, stop)
  try {
    return await job(stopping.signal)
  } finally {
    for (const signal of signals) process.off(signal, stop)
    if (received) process.kill(process.pid, received)
  }
}
