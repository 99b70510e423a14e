import type { Db } from '../db/schema.ts'
import type { SettingSources } from '../options/sources.ts'
import type { ProcessSettings } from '../options.ts'

/** Seconds for a statement of a command that reads or writes all templates: at the end it vacuums their tables. */
export const bulkQueryTimeout = 3600

/** Opens the configured database, runs a job on it and closes it. It must exist unless `mustExist` is false. */
export async function withStore<T>(
  sources: SettingSources,
  job: (db: Db, settings: ProcessSettings) => Promise<T>,
  options: { mustExist?: boolean; databaseQueryTimeout?: number } = {}
): Promise<T> {
  // Only here, so that help and wrong usage need no database.
  const { readSettings } = await import('../options.ts')
  const { openDatabase } = await import('../db/connect.ts')
  const { settings } = readSettings(sources)
  const db = await openDatabase(settings.database, { mustExist: true, ...settings, ...options })
  try {
    return await job(db, settings)
  } finally {
    await db.destroy()
  }
}
