import { sql } from 'kysely'
import { StartError } from '../../errors.ts'
import { perDatabase } from '../per-database.ts'
import type { AnyDb, Db } from '../schema.ts'
import { databaseUrlForm, isDatabaseUrl } from '../url.ts'
import type { Engine } from './interface.ts'
import { postgresEngine } from './postgres/engine.ts'
import { sqliteEngine } from './sqlite/engine.ts'

const engines: Engine[] = [sqliteEngine, postgresEngine]

/** Returns the engine of a database or transaction. Throws StartError for one that is not supported. */
export const engineOf: (db: Db | AnyDb) => Engine = perDatabase(db => {
  const written = sql`${sql.ref('a')} = ${0}`.compile(db).sql
  const engine = engines.find(({ comparison }) => comparison === written)
  if (!engine) throw new StartError('PTS_BAD_DATABASE', 'the database must be SQLite or PostgreSQL')
  return engine
})

/** Returns the engine of a database URL. Throws StartError if the URL is invalid. */
export function engineOfUrl(url: string): Engine {
  const engine = isDatabaseUrl(url) && engines.find(engine => engine.url.test(url))
  if (!engine) throw new StartError('PTS_BAD_OPTION', `the URL of the database must be ${databaseUrlForm}`)
  return engine
}
