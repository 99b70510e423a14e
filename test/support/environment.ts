/** What the processes of the tests share. */
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** The folder of their compiled code. */
export const NODE_COMPILE_CACHE = new URL('../../node_modules/.cache/product-templates', import.meta.url)
  .pathname

/** Four times what the databases of a run take, in bytes. */
const enoughMemory = 4 * 2 ** 30

/** Returns a folder, in memory if there is enough. A PostgreSQL database has 300 files, which take long on a disk. */
export function findFastDirectory(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > enoughMemory ? '/dev/shm' : tmpdir()
  } catch {
    return tmpdir()
  }
}
