import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { engineOf } from '../../db/dialects/engine.ts'
import { type Check, type Doctor, type Finding, ok, problem, warning } from '../../terminal/finding.ts'
import { quoteWord } from '../../terminal/shell.ts'

const mebibyte = 2 ** 20

/** Free MiB below which a disk counts as full. */
const minFreeMiB = 16

/** Checks the disk of a SQLite file, and who can read the database and the files that features make of it. */
export const checkDisk = (doctors: Doctor[]): Check =>
  async function* (db, settings) {
    const path = await engineOf(db).findFile(db)
    if (path === undefined) return
    const { size } = await stat(path)
    yield* checkAccess(path)
    const more = await Promise.all(doctors.map(doctor => doctor.listPrivateFiles?.(settings, path)))
    yield* checkReaders(
      path,
      more.flatMap(files => files ?? [])
    )
    yield* checkFreeSpace(dirname(path), size)
  }

async function* checkAccess(path: string): AsyncGenerator<Finding> {
  const refused: string[] = []
  for (const place of [path, dirname(path)])
    await access(place, constants.W_OK).catch(({ code }) => refused.push(`${place} (${code})`))
  const fix = 'give the user of the service write permission'
  if (refused.length > 0) yield problem('disk', `cannot write ${refused.join(' and ')}`, fix)
}

/** Checks whether others can read the files. They contain password hashes, e-mail addresses and keys. */
async function* checkReaders(path: string, more: string[]): AsyncGenerator<Finding> {
  // File modes mean nothing on Windows.
  if (process.platform === 'win32') return
  const readable: string[] = []
  for (const file of new Set([...['', '-wal', '-shm'].map(suffix => resolve(path + suffix)), ...more])) {
    const { mode } = await stat(file).catch(error => {
      if (error.code !== 'ENOENT') throw error
      return { mode: 0 }
    })
    if ((mode & 0o044) !== 0) readable.push(file)
  }
  const fix = `chmod go= ${readable.map(quoteWord).join(' ')}`
  if (readable.length > 0) yield warning('files', `others can read ${readable.join(', ')}`, fix)
  else yield ok('files', 'only their owner can read the database and its backups')
}

async function* checkFreeSpace(directory: string, size: number): AsyncGenerator<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(directory)
  const free = Math.floor((bavail * bsize) / mebibyte)
  const text = `${free} MiB free for a database of ${Math.ceil(size / mebibyte)} MiB`
  const fix = `free space in ${directory}`
  if (free < minFreeMiB || (files > 0 && ffree === 0)) yield problem('disk', `${text}: writes fail`, fix)
  else if (free * mebibyte < size) yield warning('disk', `${text}: too little for a backup or a rebuild`, fix)
  else yield ok('disk', text)
}
