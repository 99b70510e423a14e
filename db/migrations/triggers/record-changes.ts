import { isPostgres, type MigratedDb } from '../columns.ts'
import { recordOnPostgres } from './record-on-postgres.ts'
import { recordOnSqlite } from './record-on-sqlite.ts'

/**
 * Writes the triggers that archive and record every change of these columns of templates, and of `data`. A migration that
 * adds a column to `product_template` and `product_template_past` calls it again, with all columns but `id` and `data`.
 */
export const recordChanges = (db: MigratedDb, columns: string[]): Promise<void> =>
  isPostgres(db) ? recordOnPostgres(db, columns) : recordOnSqlite(db, columns)
