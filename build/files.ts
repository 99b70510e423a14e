/** Puts built files into place: other builds and running services use the folder at the same time. */
import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Moves files of a folder into another one, in the order of `paths`, unless the target is equal. Whoever reads a target
 * gets all of its old or all of its new bytes. Nothing else in that folder is touched.
 */
export function moveChanged(paths: readonly string[], { from, to }: { from: string; to: string }): void {
  for (const path of paths) {
    const [source, target] = [join(from, path), join(to, path)]
    if (readIfThere(target)?.equals(readFileSync(source))) continue
    mkdirSync(dirname(target), { recursive: true })
    renameSync(source, target)
  }
}

/** Reads a file; undefined if there is none. */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
