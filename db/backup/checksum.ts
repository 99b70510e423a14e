import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ifMissing } from './stage.ts'

/** The file with the checksum of a backup. */
export const checksumFile = (backup: string): string => `${backup}.sha256`

/** Formats a checksum as sha256sum does, so that `sha256sum --check` reads it. */
export function formatChecksum(sha256: string, backup: string): string {
  const name = basename(backup)
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return `${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`
}

/**
 * Reads the checksum beside a backup, in hexadecimal digits. Resolves to undefined if there is none, and to an empty
 * string if the file contains no checksum.
 */
export async function readChecksum(backup: string): Promise<string | undefined> {
  const text = await readFile(checksumFile(backup), 'latin1').catch(ifMissing)
  return text === undefined ? undefined : (/^\\?([\da-f]{64}) [ *]/i.exec(text)?.[1]?.toLowerCase() ?? '')
}

/** Returns the SHA-256 of a file in hexadecimal digits. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash)
  return hash.digest('hex')
}
