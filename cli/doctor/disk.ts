import { access, constants, readdir, stat, statfs } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { checksumFile } from '../../db/backup/checksum.ts'
import { ifMissing } from '../../db/backup/part.ts'
import { listSeries } from '../../db/backup/series.ts'
import { findFilePath } from '../../db/dialects/sqlite/file-path.ts'
import type { ProcessSettings } from '../../options.ts'
import { quote } from '../sqlite-file.ts'
import { type Check, type Finding, findingsOf } from './finding.ts'

const disk = findingsOf('disk')
const files = findingsOf('files')
const backup = findingsOf('backup')
const mebibyte = 2 ** 20

/** MiB below which a disk is full, in effect. */
const least = 16

/** The disks of a SQLite file and of its backups, and who can read these. */
export const checkDisk: Check = async (db, settings) => {
  const path = await findFilePath(db)
  if (path === undefined) return []
  const { size } = await stat(path)
  return [
    ...(await checkAccess(path)),
    ...(await checkReaders(path, settings.backupDir ?? dirname(path))),
    ...(await checkSpace(dirname(path), size)),
    ...(settings.backupDir === undefined ? [] : await checkBackups(settings.backupDir, settings))
  ]
}

async function checkAccess(path: string): Promise<Finding[]> {
  const places = [path, dirname(path)]
  const refused = await Promise.all(
    places.map(place =>
      access(place, constants.W_OK).then(
        () => undefined,
        ({ code }) => `${place} (${code})`
      )
    )
  )
  const found = refused.filter(place => place !== undefined)
  if (found.length === 0) return []
  return [
    disk.problem(`cannot write ${found.join(' and ')}`, 'give the user of the service the right to write')
  ]
}

/** They have password hashes, e-mail addresses and keys. */
async function checkReaders(path: string, backupDir: string): Promise<Finding[]> {
  // File modes mean nothing on Windows.
  if (process.platform === 'win32') return []
  const found = new Set([
    ...(await listFiles(dirname(path), basename(path))),
    ...(await listFiles(backupDir))
  ])
  const readable: string[] = []
  for (const file of found) {
    const { mode } = (await stat(file).catch(ifMissing)) ?? { mode: 0 }
    if ((mode & 0o044) !== 0) readable.push(file)
  }
  if (readable.length === 0) return [files.ok('only their owner can read the database and its backups')]
  return [
    files.warning(`others can read ${readable.join(', ')}`, `chmod go= ${readable.map(quote).join(' ')}`)
  ]
}

/** Lists the backups in a directory and, if it is there, the database with what SQLite and `restore` put beside it. */
async function listFiles(directory: string, database = ''): Promise<string[]> {
  const names = await readdir(directory).catch((): string[] => [])
  const own = new Set([database, `${database}-wal`, `${database}-shm`])
  const isOurs = (name: string) =>
    own.has(name) || name.startsWith(`${database}.before-`) || names.includes(checksumFile(name))
  return names.filter(isOurs).map(name => resolve(directory, name))
}

async function checkSpace(directory: string, size: number): Promise<Finding[]> {
  const { bavail, bsize, files, ffree } = await statfs(directory)
  const free = Math.floor((bavail * bsize) / mebibyte)
  const text = `${free} MiB free for a database of ${Math.ceil(size / mebibyte)} MiB`
  if (free < least || (files > 0 && ffree === 0))
    return [disk.problem(`${text}: writes fail`, `free space in ${directory}`)]
  if (free * mebibyte < size)
    return [disk.warning(`${text}: too little for a backup or a rebuild`, `free space in ${directory}`)]
  return [disk.ok(text)]
}

async function checkBackups(directory: string, { backupInterval }: ProcessSettings): Promise<Finding[]> {
  try {
    await access(directory, constants.W_OK)
    const newest = (await listSeries(directory)).at(-1)
    if (!newest)
      return [backup.warning(`there is none in ${directory}`, 'the service writes one while it runs')]
    const hours = Math.round((Date.now() - newest.time) / 3_600_000)
    const text = `the newest is ${hours} hours old: ${newest.name}`
    // One may be under way.
    if (Date.now() - newest.time < backupInterval * 2000) return [backup.ok(text)]
    return [backup.problem(text, 'see the log of the service: `the backup failed`')]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return [backup.problem(`cannot write ${directory} (${code})`, 'create it for the user of the service')]
  }
}
