import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** About what a small transaction adds to the write-ahead log. */
const probeSize = 2 ** 16

/** Other processes, also in other containers, have other names. */
const suffix = `-probe-${randomUUID()}`
/** The suffixes of all processes, and that of an older version. */
const anySuffix = /^-probe(-[\da-f-]{36})?$/

/**
 * Checks that a database file can be written and that its disk has space. Taking the write lock would wait for other
 * writers, and a transaction that is rolled back needs no space. So it writes a file beside the database and removes it,
 * before it gets to the disk: file systems reserve the space at once. Rejects with the error of the system.
 */
export async function checkSpace(file: string): Promise<void> {
  await access(file, constants.W_OK)
  const name = file + suffix
  const probe = await open(name, 'w', 0o600)
  try {
    await rm(name, { force: true })
    // Not `write`, which is content with the bytes that still fit.
    await probe.writeFile(Buffer.alloc(probeSize, 1))
  } finally {
    await probe.close()
  }
  await removeLeftovers(file)
}

/** Removes files of killed processes. A running process does not need its name: it has removed it, or is about to. */
async function removeLeftovers(file: string): Promise<void> {
  const directory = dirname(file)
  const names = await readdir(directory).catch(() => [])
  const found = names.filter(
    name => name.startsWith(basename(file)) && anySuffix.test(name.slice(basename(file).length))
  )
  // A file of another user may stay.
  for (const name of found) await rm(join(directory, name), { force: true }).catch(() => {})
}
