import { randomUUID } from 'node:crypto'
import { closeSync, openSync, type Stats } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Of the file beside a part that has its checksum. */
export const checksumSuffix = '-sha256'

/** Creates an empty file beside `target`, for its owner only, and returns its path. */
export function createPart(target: string): string {
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
