import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'

/** Bytes read at a time. */
const blockSize = 2 ** 20

/** Returns the size of a file and its SHA-256 in hexadecimal digits. Blocks; for threads and commands. */
export function hashFile(path: string): { bytes: number; sha256: string } {
  const hash = createHash('sha256')
  const block = Buffer.allocUnsafe(blockSize)
  const file = openSync(path, 'r')
  try {
    let bytes = 0
    for (let read = readSync(file, block); read > 0; read = readSync(file, block)) {
      hash.update(block.subarray(0, read))
      bytes += read
    }
    return { bytes, sha256: hash.digest('hex') }
  } finally {
    closeSync(file)
  }
}
