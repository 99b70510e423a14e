import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Collection } from '../../../metrics/collection.ts'

/** Adds the size of a database file and its log, and the room for them. */
export function collectFile(path: string, to: Collection): void {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  to.add('store_file_bytes', sizeOf(path), { file: 'database' })
  to.add('store_file_bytes', sizeOf(`${path}-wal`), { file: 'log' })
  const { bavail, bsize } = statfsSync(dirname(path))
  to.add('store_disk_free_bytes', bavail * bsize)
}
