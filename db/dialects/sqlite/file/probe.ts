import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, open, rm } from 'node:fs/promises'

/** About what a small transaction adds to the write-ahead log. */
const probeSize = 2 ** 16

/**
 * Checks that a database file can be written and that its disk has space. Taking the write lock would wait for other
 * writers, and a transaction that is rolled back needs no space. So it writes a file beside the database and removes it,
 * before it gets to the disk: file systems reserve the space at once. Rejects with the error of the system.
 */
export async function checkSpace(file: string): Promise<void> {
  await access(file, constants.W_OK)
  // Other processes, also in other containers, have other names.
  const name = `${file}-probe-${randomUUID()}`
  const probe = await open(name, 'w', 0o600)
  try {
    await rm(name, { force: true })
    // Not `write`, which is content with the bytes that still fit.
    await probe.writeFile(Buffer.alloc(probeSize, 1))
  } finally {
    await probe.close()
  }
}
