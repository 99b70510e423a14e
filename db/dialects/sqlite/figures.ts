import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Reads the size of a database file and its log, and the room for them, in bytes. */
export function readFileFigures(path: string) {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const { bavail, bsize } = statfsSync(dirname(path))
  return {
    store_file_bytes: { database: sizeOf(path), log: sizeOf(`${path}-wal`) },
    store_disk_free_bytes: bavail * bsize
  }
}
