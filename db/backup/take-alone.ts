import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { cannotUse } from '../dialects/sqlite/open.ts'
import { BackupError } from './backup.ts'

/** A database file that no other process can open until it is released. */
export interface Alone {
  release(): void
}

/**
 * Locks a database file and writes its WAL into it, so that the file is complete. Throws BackupError if any other
 * process has it open, or if it is damaged unless `evenDamaged`. Returns undefined if there is no file.
 */
export async function takeAlone(path: string, evenDamaged: boolean): Promise<Alone | undefined> {
  if (!existsSync(path)) return undefined
  const file = new Sqlite(path, { timeout: 0, fileMustExist: true })
  const release = () => void file.close()
  try {
    // In WAL mode, each open handle holds a lock until it is closed; leaving the mode needs the file alone.
    file.pragma('journal_mode = DELETE')
    file.exec('begin exclusive')
    return { release }
  } catch (error) {
    const { code = '' } = error as { code?: string }
    const damaged = /^SQLITE_(NOTADB|CORRUPT|IOERR)/.test(code)
    if (damaged && evenDamaged) return { release }
    release()
    if (code.startsWith('SQLITE_BUSY'))
      throw new BackupError(`another process uses the database ${path}: stop the service first`)
    if (!damaged) throw cannotUse(path, error)
    throw new BackupError(
      `the database ${path} is damaged, so whether a service uses it is unknown: stop the service, and give --force`
    )
  }
}
