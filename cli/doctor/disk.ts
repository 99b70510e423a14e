import { access, constants, readdir, stat, statfs } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { engineOf } from '../../db/dialects/engine.ts'
import { ignoreMissing } from '../../features/backups/files.ts'
import { listSeries } from '../../features/backups/series.ts'
import { type Check, type Finding, ok, problem, warning } from '../../terminal/finding.ts'
import { quoteWord } from '../../terminal/store.ts'

const mebibyte = 2 ** 20

/** Free MiB below which a disk counts as full. */
const minFreeMiB = 16

/** Checks the disks of a SQLite file and of its backups, and who can read these files. */
export const checkDisk: Check = async function* (db, settings) {
  const path = await engineOf(db).findFile(db)
  if (path === undefined) return
  const { size } = await stat(path)
  yield* checkAccess(path)
  yield* checkReaders(path, settings.backupDir ?? dirname(path))
  yield* checkFreeSpace(dirname(path), size)
  if (settings.backupDir !== undefined) yield* checkBackups(settings.backupDir)
}

async function* checkAccess(path: string): AsyncGenerator<Finding> {
  const refused: string[] = []
  for (const place of [path, dirname(path)])
    await access(place, constants.W_OK).catch(({ code }) => refused.push(`${place} (${code})`))
  const mend = 'give the user of the service write permission'
  if (refused.length > 0) yield problem('disk', `cannot write ${refused.join(' and ')}`, mend)
}

/** Checks whether others can read the files. They contain password hashes, e-mail addresses and keys. */
async function* checkReaders(path: string, backupDir: string): AsyncGenerator<Finding> {
  // File modes mean nothing on Windows.
  if (process.platform === 'win32') return
  const databaseFiles = await listFiles(dirname(path), basename(path))
  const readable: string[] = []
  for (const file of new Set([...databaseFiles, ...(await listFiles(backupDir))])) {
    const { mode } = (await stat(file).catch(ignoreMissing)) ?? { mode: 0 }
    if ((mode & 0o044) !== 0) readable.push(file)
  }
  const mend = `chmod go= ${readable.map(quoteWord).join(' ')}`
  if (readable.length > 0) yield warning('files', `others can read ${readable.join(', ')}`, mend)
  else yield ok('files', 'only their owner can read the database and its backups')
}

/**
 * Lists the backups in a directory. If the database is in it, also lists the database with its WAL and the files that
 * `restore` keeps.
 */
async function listFiles(directory: string, database = ''): Promise<string[]> {
  const names = await readdir(directory).catch((): string[] => [])
  const own = new Set([database, `${database}-wal`, `${database}-shm`])
  const isOurs = (name: string) =>
    own.has(name) || name.startsWith(`${database}.before-`) || names.includes(`${name}.sha256`)
  return names.filter(isOurs).map(name => resolve(directory, name))
}

async function* checkFreeSpace(directory: string, size: number): AsyncGenerator<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(directory)
  const free = Math.floor((bavail * bsize) / mebibyte)
  const text = `${free} MiB free for a database of ${Math.ceil(size / mebibyte)} MiB`
  const mend = `free space in ${directory}`
  if (free < minFreeMiB || (files > 0 && ffree === 0)) yield problem('disk', `${text}: writes fail`, mend)
  else if (free * mebibyte < size)
    yield warning('disk', `${text}: too little for a backup or a rebuild`, mend)
  else yield ok('disk', text)
}

async function* checkBackups(directory: string): AsyncGenerator<Finding> {
  try {
    await access(directory, constants.W_OK)
    const newest = (await listSeries(directory)).at(-1)
    const mend = 'the service writes a backup while it runs'
    if (!newest) return yield warning('backup', `there is no backup in ${directory}`, mend)
    const hours = (Date.now() - newest.time) / 3_600_000
    const text = `the newest backup is ${Math.round(hours)} hours old: ${newest.name}`
    // Backups are daily, and one may be in progress.
    if (hours < 48) yield ok('backup', text)
    else yield problem('backup', text, 'see the log of the service: `the backup failed`')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const mend = 'create the directory for the user of the service'
    yield problem('backup', `cannot write ${directory} (${code})`, mend)
  }
}
