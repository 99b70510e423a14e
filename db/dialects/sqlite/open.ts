import { randomUUID } from 'node:crypto'
import { closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { access, open, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { StartError } from '../../../runtime/host-errors.ts'
import type { Database, Db } from '../../schema.ts'
import { defaultDatabase, sqlitePath } from '../../url.ts'
import type { DatabaseFile, Engine } from '../interface.ts'
import { SqliteDialect } from './dialect.ts'
import { assertInode, busyTimeout, findInode, openReader } from './handle.ts'

/** Opens the database of a URL and migrates it. Only the directory of the default database is created. */
export const openMigrated: Engine['open'] = async (url, { mustExist = false }, migrate) => {
  const makeDirectory = url === defaultDatabase && !mustExist
  const file = openInPlace(sqlitePath(url), mustExist, makeDirectory)
  // Another handle on `:memory:` would be another database.
  const dialect = new SqliteDialect(file, file.memory ? file : openReader(file.name))
  return openChecked(dialect, migrate)
}

/** Opens a file again if another one has replaced it while SQLite waited for its lock, such as a restored database. */
function openInPlace(path: string, mustExist: boolean, makeDirectory: boolean): Sqlite.Database {
  const before = findInode(path)
  const file = openSqlite(path, mustExist, makeDirectory)
  if (file.memory || before === undefined || findInode(path) === before) return file
  file.close()
  return openInPlace(path, mustExist, makeDirectory)
}

/** Throws SQLITE_READONLY_DBMOVED if another file has replaced the one that the service has opened. */
export const openForThread: Engine['openForThread'] = async (_url, _options, opened) => {
  const { path, inode } = opened as DatabaseFile
  // Checks before SQLite opens the file, because SQLite would apply the WAL to a new file.
  assertInode(path, inode)
  const file = openSqlite(path, true)
  // Checks again afterwards, because the file may have been replaced meanwhile.
  return openChecked(new SqliteDialect(file, openReader(file.name)), () => assertInode(path, inode))
}

/** Opens a database, and closes it if the check fails. */
async function openChecked(dialect: SqliteDialect, check: (db: Db) => unknown): Promise<Db> {
  const db = new Kysely<Database>({ dialect })
  try {
    await check(db)
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** Opens a file for reading. The file stays the same, byte for byte. */
export const openReadOnly: Engine['openReadOnly'] = async url => {
  const path = sqlitePath(url)
  try {
    // If a killed process has left a WAL, the last handle writes it into the file, unless it is read-only. If there is
    // no WAL, a read-only handle would leave an empty one behind.
    const hasLog = existsSync(`${path}-wal`)
    const file = hasLog ? new Sqlite(path, { readonly: true, timeout: busyTimeout }) : openReader(path)
    return new Kysely<Database>({ dialect: new SqliteDialect(file) })
  } catch (error) {
    throw cannotUse(path, error)
  }
}

/**
 * Opens a file, or `:memory:`, for reading and writing. Creates a missing file unless it `mustExist`. Throws
 * {@link StartError} with a one-line reason. A file that is not a database is left unchanged.
 */
function openSqlite(path: string, mustExist = false, makeDirectory = false): Sqlite.Database {
  const memory = path === ':memory:'
  try {
    if (makeDirectory && !memory) mkdirSync(dirname(path), { recursive: true })
    // The file will contain signing keys, and SQLite would make it readable for everyone. Its WAL gets the same mode.
    if (!mustExist && !memory && !existsSync(path)) closeSync(openSync(path, 'a', 0o600))
    const file = new Sqlite(path, { timeout: busyTimeout, fileMustExist: mustExist && !memory })
    try {
      file.pragma('foreign_keys = ON')
      file.pragma('journal_mode = WAL')
      // A write that was acknowledged survives a power failure, not only a crash of the process.
      file.pragma('synchronous = FULL')
      // From now on the driver waits for locks. SQLite would block the event loop while it waits.
      file.pragma('busy_timeout = 0')
      return file
    } catch (error) {
      file.close()
      throw error
    }
  } catch (error) {
    throw cannotUse(path, error)
  }
}

/** Makes the error for a database that cannot be opened, with a one-line reason. */
export const cannotUse = (path: string, error: unknown): StartError =>
  new StartError('PTS_BAD_DATABASE', `cannot use the database ${resolve(path)}: ${reason(path, error)}`, {
    cause: error
  })

function reason(path: string, error: unknown): string {
  const { code = '', message, syscall } = error as NodeJS.ErrnoException
  if (code === 'SQLITE_NOTADB') return 'the file is not a SQLite database'
  if (code === 'SQLITE_CORRUPT') return 'the file is damaged'
  if (code === 'SQLITE_READONLY_DBMOVED') return 'another file has replaced it'
  if (code.startsWith('SQLITE_READONLY')) return 'the file or its directory is read-only'
  if (code.startsWith('SQLITE_BUSY')) return 'another process has locked it'
  const directory = dirname(resolve(path))
  if (!existsSync(directory))
    return syscall === 'mkdir'
      ? `the directory ${directory} cannot be created (${code})`
      : `the directory ${directory} does not exist`
  if (!statSync(directory).isDirectory()) return `${directory} is not a directory`
  if (!existsSync(path)) return `the file does not exist and cannot be created (${code || message})`
  if (statSync(path).isDirectory()) return 'it is a directory'
  return `${message} (${code})`
}

/** About as many bytes as a small transaction adds to the write-ahead log. */
const probeSize = 2 ** 16

/**
 * Rejects if a database file cannot be written or its disk has no space. A transaction would wait for other writers,
 * and would need no space if it is rolled back. So this writes a file beside the database and removes it before its
 * bytes get to the disk: file systems reserve the space at once.
 */
export async function checkSpace(file: string): Promise<void> {
  await access(file, constants.W_OK)
  // A random name, because processes in several containers may do this at the same time.
  const name = `${file}-probe-${randomUUID()}`
  const probe = await open(name, 'w', 0o600)
  try {
    await rm(name, { force: true })
    // Does not use `write`, which succeeds even if only some bytes fit.
    await probe.writeFile(Buffer.alloc(probeSize, 1))
  } finally {
    await probe.close()
  }
}
