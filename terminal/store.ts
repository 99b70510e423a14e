import { userInfo } from 'node:os'
import type { AuditActor } from '../db/audit/record.ts'
import type { Db } from '../db/schema.ts'
import { type ProcessSettings, readSettings } from '../options/index.ts'
import type { SettingSources } from '../options/sources.ts'

/** Timeout in seconds for statements of commands that read or write all templates. VACUUM takes long. */
export const bulkTimeout = { databaseQueryTimeout: 3600 }

/** Runs a job on the configured database, which it opens and closes. It must exist unless `mustExist` is false. */
export async function withStore<T>(
  sources: SettingSources,
  job: (db: Db, settings: ProcessSettings) => Promise<T>,
  options: { mustExist?: boolean; databaseQueryTimeout?: number } = {}
): Promise<T> {
  // Imported here, so that help and wrong usage load no database driver.
  const { openDatabase } = await import('../features/database.ts')
  const { settings } = readSettings(sources)
  const db = await openDatabase(settings.database, { mustExist: true, ...settings, ...options })
  try {
    return await job(db, settings)
  } finally {
    await db.destroy()
  }
}

/** Who runs a command, for the audit trail. */
export const makeActor = (): AuditActor => ({
  subject: null,
  clientId: 'command line',
  name: findSystemUser(),
  address: null,
  isOperator: true
})

/** A container may run as a user who has no name. */
function findSystemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}
