import { setTimeout } from 'node:timers/promises'
import { type Dialect, Kysely } from 'kysely'
import { StartError } from '../errors.ts'
import { engineOf } from './dialects/engine.ts'
import { isUnavailable } from './dialects/faults.ts'
import { migrationTimeout } from './dialects/postgres/engine.ts'
import { openPostgres } from './dialects/postgres/open.ts'
import type { PostgresSettings } from './dialects/postgres/pool.ts'
import { SqliteDialect } from './dialects/sqlite/dialect.ts'
import { openReader, openSqlite } from './dialects/sqlite/open.ts'
import { migrate } from './migrate.ts'
import type { Database, Db } from './schema.ts'
import {
  databaseUrlForm,
  defaultDatabase,
  isDatabaseUrl,
  isPostgres,
  postgresAddress,
  postgresDefaults,
  sqlitePath
} from './url.ts'

export interface DatabaseOptions extends Partial<PostgresSettings> {
  /** Refuse a missing database file. */
  mustExist?: boolean
  /** Seconds to keep trying to reach a PostgreSQL server. */
  databaseStartTimeout?: number
}

/** Milliseconds between attempts to reach a server: the first pause and the longest. */
const firstPause = 100
const longestPause = 2000

/**
 * Opens the database of a `DATABASE_URL` and migrates it to the latest version. The caller closes it with
 * `db.destroy()`. Throws StartError if the database cannot be used.
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Db> {
  if (!isDatabaseUrl(url))
    throw new StartError('PTS_BAD_OPTION', `the URL of the database must be ${databaseUrlForm}`)
  if (isPostgres(url)) return openPostgresDatabase(url, { ...postgresDefaults, ...options })
  const { mustExist = false } = options
  const makeDirectory = url === defaultDatabase && !mustExist
  const file = openSqlite({ path: sqlitePath(url), mustExist, makeDirectory })
  // A database in memory exists only in its one handle.
  const db = kysely(new SqliteDialect(file, file.memory ? file : openReader(file.name)))
  try {
    await migrate(db)
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** Removes bytes of replaced signing keys from the files; false if readers of former contents keep it from doing so. */
export const eraseRemains = (db: Db): Promise<boolean> => engineOf(db).eraseRemains(db)

const kysely = (dialect: Dialect): Db => new Kysely<Database>({ dialect })

async function openPostgresDatabase(url: string, settings: typeof postgresDefaults): Promise<Db> {
  const deadline = performance.now() + settings.databaseStartTimeout * 1000
  const migrating = { ...settings, databasePoolSize: 1, databaseQueryTimeout: migrationTimeout }
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    const db = kysely(await openPostgres(url, migrating))
    try {
      await migrate(db)
      return kysely(await openPostgres(url, settings))
    } catch (error) {
      if (!isUnavailable(error) || performance.now() + pause > deadline) throw cannotUse(url, error)
    } finally {
      await db.destroy()
    }
    // Random, so that many waiting instances do not connect at the same moment.
    await setTimeout(pause * (0.5 + Math.random() / 2))
  }
}

function cannotUse(url: string, error: unknown): unknown {
  if (error instanceof StartError) return error
  const { code, message } = error as { code?: string; message: string }
  const reason = [message, code && `(${code})`].filter(Boolean).join(' ')
  const [name, verb] = isUnavailable(error)
    ? (['PTS_DATABASE_UNREACHABLE', 'reach'] as const)
    : (['PTS_BAD_DATABASE', 'use'] as const)
  return new StartError(name, `cannot ${verb} the database ${postgresAddress(url)}: ${reason}`, {
    cause: error
  })
}
