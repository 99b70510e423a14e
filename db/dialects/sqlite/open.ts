import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import { StartError } from '../../../errors.ts'
import { busyTimeout } from './writers.ts'

/** How a database file is opened. */
export interface SqliteFile {
  /** A path, or `:memory:`. */
  path: string
  /** Refuse a file that is not there yet. */
  mustExist?: boolean | undefined
  /** Make the file's directory when it is missing. */
  makeDirectory?: boolean | undefined
}

/** A handle that only reads: readers go on while something is being written. */
export function openReader(path: string): Sqlite.Database {
  const file = new Sqlite(path, { timeout: busyTimeout, fileMustExist: true })
  file.pragma('query_only = ON')
  // KiB, negative: room for an order of 100,000 templates, which is gone through where no index narrows a filter.
  file.pragma('cache_size = -32768')
  file.pragma('busy_timeout = 0')
  return file
}

/**
 * Opens the file for reading and writing. Throws {@link StartError} with one line on what is wrong with
 * it; a file that is no SQLite database is left as it was.
 */
export function openSqlite({ path, mustExist = false, makeDirectory = false }: SqliteFile): Sqlite.Database {
  const memory = path === ':memory:'
  try {
    if (makeDirectory && !memory) mkdirSync(dirname(path), { recursive: true })
    // It will hold signing keys: SQLite would let everybody read it, and gives its other files the same mode.
    if (!mustExist && !memory && !existsSync(path)) closeSync(openSync(path, 'a', 0o600))
    const file = new Sqlite(path, { timeout: busyTimeout, fileMustExist: mustExist && !memory })
    try {
      file.pragma('foreign_keys = ON')
      file.pragma('journal_mode = WAL')
      // An acknowledged write outlives a power cut, not only a killed process.
      file.pragma('synchronous = FULL')
      // From here on it is the connection that waits: SQLite's own waiting would stop the event loop.
      file.pragma('busy_timeout = 0')
      return file
    } catch (error) {
      file.close()
      throw error
    }
  } catch (error) {
    throw new StartError(
      'PTS_BAD_DATABASE',
      `cannot use the database ${resolve(path)}: ${reason(path, error)}`,
      {
        cause: error
      }
    )
  }
}

function reason(path: string, error: unknown): string {
  const { code = '', message } = error as { code?: string; message: string }
  if (code === 'SQLITE_NOTADB') return 'the file is not a SQLite database'
  if (code === 'SQLITE_CORRUPT') return 'the file is damaged'
  if (code.startsWith('SQLITE_READONLY')) return 'the file or its directory is read-only'
  if (code.startsWith('SQLITE_BUSY')) return 'another process holds it locked'
  const directory = dirname(resolve(path))
  if (!existsSync(directory)) return `the directory ${directory} does not exist`
  if (!statSync(directory).isDirectory()) return `${directory} is not a directory`
  if (!existsSync(path)) return `the file does not exist and cannot be made there (${code || message})`
  if (statSync(path).isDirectory()) return 'it is a directory'
  return `${message} (${code})`
}
