import { sql } from 'kysely'
import type { AnyDb } from '../../schema.ts'
import { engineOf } from '../engine.ts'

/** Returns the path of the file of a SQLite database; undefined for a database in memory or of another engine. */
export async function findFilePath(db: AnyDb): Promise<string | undefined> {
  if (engineOf(db).name !== 'sqlite') return undefined
  const { rows } = await sql<{
    file: string
  }>`select file from pragma_database_list where name = 'main'`.execute(db)
  return rows[0]?.file || undefined
}
