import { openDatabase } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import { optionsFromEnv, type ProcessSettings } from '../options.ts'

/** Opens the configured database, runs a job on it and closes it. It must exist unless `mustExist` is false. */
export async function withStore<T>(
  env: NodeJS.ProcessEnv,
  job: (db: Db, settings: ProcessSettings) => Promise<T>,
  { mustExist = true } = {}
): Promise<T> {
  const settings = optionsFromEnv(env)
  const db = await openDatabase(settings.database, { ...settings, mustExist })
  try {
    return await job(db, settings)
  } finally {
    await db.destroy()
  }
}
