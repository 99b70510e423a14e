/** The files of a backup: its parts until it is complete, and its checksum. */
import { createHash, randomUUID } from 'node:crypto'
import { closeSync, createReadStream, openSync, type Stats } from 'node:fs'
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Of the file beside a part that has its checksum. */
export const checksumSuffix = '-sha256'

/**
 * Creates an empty file beside `target`, for its owner only, and returns its path. Removes those that killed processes
 * left.
 */
export async function createPart(target: string): Promise<string> {
  await removeAbandonedParts(dirname(target), name => name === basename(target))
  const part = join(dirname(target), `.${basename(target)}.${randomUUID()}.part`)
  closeSync(openSync(part, 'wx', 0o600))
  return part
}

/** Removes a part and what is beside it. */
export async function removePart(part: string): Promise<void> {
  for (const suffix of ['', checksumSuffix, '-journal', '-wal', '-shm'])
    await rm(part + suffix, { force: true })
}

/** Removes the parts of some targets that killed processes left in a directory. */
export async function removeAbandonedParts(
  directory: string,
  isTarget: (name: string) => boolean
): Promise<void> {
  for (const name of await readdir(directory)) {
    const [, part, target] = /^(\.(.+)\.[\da-f-]{36}\.part)(-sha256)?$/s.exec(name) ?? []
    if (part !== undefined && target !== undefined && isTarget(target))
      await removePart(join(directory, part))
  }
}

/** Makes what is stored of a file or a directory survive a power failure. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const isSame = (one: Stats, other: Stats): boolean => one.dev === other.dev && one.ino === other.ino

/** Turns the error for a missing file into undefined; throws any other. */
export function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Bytes read at a time. */
const blockSize = 2 ** 20

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

/** Returns the size of a file and its SHA-256 in hexadecimal digits. */
export async function hashFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const block of createReadStream(path, { highWaterMark: blockSize })) {
    hash.update(block)
    bytes += block.length
  }
  return { bytes, sha256: hash.digest('hex') }
}
