/** Builds beside other builds and running services, which may use the same folders. */
import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const locks = join(import.meta.dirname, '../node_modules/.cache/product-templates')
/** How long to wait for another process, in milliseconds. */
const maxWait = 600_000
let lock: DatabaseSync | undefined

/**
 * Waits until no other process has this lock. It is held until it is closed, or until this process ends, however it
 * ends.
 */
export function openLock(name: string): DatabaseSync {
  mkdirSync(locks, { recursive: true })
  const opened = new DatabaseSync(join(locks, `${name}-lock.db`), { timeout: maxWait })
  opened.exec('BEGIN EXCLUSIVE')
  return opened
}

/** Waits for other builds, and keeps them waiting until this process ends. */
export function lockBuild(): void {
  if (lock) return
  lock = openLock('build')
}

/**
 * Moves files into another folder in the order of `paths`, except unchanged ones. Readers get either the old or the new
 * content of a file, never a mixture. Other files in the folder stay.
 */
export function moveChanged(paths: readonly string[], { from, to }: { from: string; to: string }): void {
  for (const path of paths) {
    const [source, target] = [join(from, path), join(to, path)]
    if (readIfThere(target)?.equals(readFileSync(source))) continue
    mkdirSync(dirname(target), { recursive: true })
    renameSync(source, target)
  }
}

/** Reads a file; undefined if it does not exist. */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
