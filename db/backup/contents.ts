import { Kysely } from 'kysely'
import { SqliteDialect } from '../dialects/sqlite/dialect.ts'
import { openReader } from '../dialects/sqlite/open.ts'
import { findMissingMigrations } from '../migrate.ts'
import { BackupError } from './backup.ts'
import { findDamage } from './damage.ts'

/**
 * Checks a whole copy of a backup, and returns the migrations it lacks. Throws BackupError if it is damaged or no store,
 * and StartError if a newer program wrote it.
 */
export async function checkContents(part: string): Promise<string[]> {
  try {
    return await check(part)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (!code?.startsWith('SQLITE_')) throw error
    throw new BackupError(`the backup is damaged: ${message}`, { cause: error })
  }
}

async function check(part: string): Promise<string[]> {
  const file = openReader(part)
  const db = new Kysely<unknown>({ dialect: new SqliteDialect(file) })
  try {
    const damage = findDamage(file)
    if (damage !== undefined) throw new BackupError(`the backup is damaged: ${damage}`)
    const { executed, missing } = await findMissingMigrations(db)
    if (executed === 0) throw new BackupError('the backup is no database of product-templates')
    return missing
  } finally {
    await db.destroy()
  }
}
