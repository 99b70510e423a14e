import { access, constants, readdir } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { engineOf } from '../../db/dialects/engine.ts'
import type { Db } from '../../db/schema.ts'
import type { ProcessSettings } from '../../options/index.ts'
import { type Doctor, type Finding, ok, problem, warning } from '../../terminal/finding.ts'
import type { BackupSettings } from './index.ts'
import { listSeries } from './series.ts'

type Settings = ProcessSettings & BackupSettings

export const doctor = {
  /** Checks whether the regular backups of a SQLite file are written. */
  async *check(db: Db, { backupDir, backupInterval }: Settings) {
    if (backupDir !== undefined && (await engineOf(db).findFile(db)) !== undefined)
      yield* checkBackups(backupDir, backupInterval)
  },
  /** Lists the backups, and the files that `restore` keeps beside the database. */
  async listPrivateFiles({ backupDir }: Settings, database: string) {
    const directory = dirname(database)
    const isKept = (name: string) => name.startsWith(`${basename(database)}.before-`)
    const hasChecksum = (name: string, names: string[]) => names.includes(`${name}.sha256`)
    return [
      ...(await listFiles(directory, isKept)),
      ...(await listFiles(backupDir ?? directory, hasChecksum))
    ]
  }
} satisfies Doctor

/** Lists the files of a directory that a test selects by their names; none if it cannot be read. */
async function listFiles(directory: string, selects: (name: string, all: string[]) => boolean) {
  const names = await readdir(directory).catch((): string[] => [])
  return names.filter(name => selects(name, names)).map(name => resolve(directory, name))
}

async function* checkBackups(directory: string, interval: number): AsyncGenerator<Finding> {
  try {
    await access(directory, constants.W_OK)
    const newest = (await listSeries(directory)).at(-1)
    const fix = 'the service writes a backup while it runs'
    if (!newest) return yield warning('backup', `there is no backup in ${directory}`, fix)
    const text = `the newest backup is ${newest.name}`
    // The next one may be in progress.
    if (Date.now() - newest.time < 2 * interval * 1000) yield ok('backup', text)
    else yield problem('backup', text, 'see the log of the service: `the backup failed`')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const fix = 'create the directory for the user of the service'
    yield problem('backup', `cannot write ${directory} (${code})`, fix)
  }
}
