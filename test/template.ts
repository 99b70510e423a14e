/**
 * Creates a migrated database once for the whole run. Copying it takes a fraction of the time of migrating an empty
 * one.
 */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../db/connect.ts'
import { createPostgresDatabase, dropPostgresDatabase } from './support/database/database.ts'

export interface Template {
  /** The file or the name of the database, for TEST_DATABASE_TEMPLATE. */
  name: string
  remove(): Promise<void>
}

export async function makeSqliteTemplate(): Promise<Template> {
  const directory = mkdtempSync(join(tmpdir(), 'product-templates-'))
  const name = join(directory, 'template.db')
  await migrate(`sqlite:${name}`)
  return { name, remove: async () => rmSync(directory, { recursive: true }) }
}

export async function makePostgresTemplate(serverUrl: string): Promise<Template> {
  const url = await createPostgresDatabase(serverUrl)
  await migrate(url)
  return { name: new URL(url).pathname.slice(1), remove: () => dropPostgresDatabase(serverUrl, url) }
}

async function migrate(url: string): Promise<void> {
  await (await openDatabase(url)).destroy()
}

/** Four times the maximum size of the databases of a run, in bytes. */
const enoughMemory = 4 * 2 ** 30

/**
 * Returns the folder for databases: in memory, if there is enough. A database of PostgreSQL has 300 files, and creating them
 * on a disk is most of the work of a small test.
 */
export function findFastDirectory(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > enoughMemory ? '/dev/shm' : tmpdir()
  } catch {
    return tmpdir()
  }
}
