/** Moves built files into place while other builds and running services may use the folder. */
import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'

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
