import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { StartError } from '../../../errors.ts'
import { PostgresPoolDialect } from './dialect.ts'
import { postgresTypes } from './types.ts'

/** How an instance uses its connections to PostgreSQL. Times in seconds. */
export interface PostgresSettings {
  databasePoolSize: number
  /** To wait for a connection, a free one of the pool or a new one. */
  databaseConnectTimeout: number
  /** To wait for the answer to a statement. */
  databaseQueryTimeout: number
}

/** Kysely on a pool of pg connections. Throws StartError where the package pg is missing. */
export async function openPostgres(url: string, settings: PostgresSettings): Promise<PostgresPoolDialect> {
  const { Pool, DatabaseError } = await importPg()
  const pool = new Pool({
    connectionString: withLibpqSslModes(url),
    application_name: 'product-templates',
    max: settings.databasePoolSize,
    connectionTimeoutMillis: settings.databaseConnectTimeout * 1000,
    query_timeout: settings.databaseQueryTimeout * 1000,
    keepAlive: true,
    types: postgresTypes
  })
  // A connection that breaks while nobody uses it leaves the pool by itself.
  pool.on('error', () => {})
  // One that breaks between two statements of a transaction would end the process.
  pool.on('connect', client => client.on('error', () => {}))
  return new PostgresPoolDialect({ pool: discarding(pool, error => !(error instanceof DatabaseError)) })
}

async function importPg(): Promise<typeof pg> {
  try {
    return (await import('pg')).default
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    const fix = 'PostgreSQL needs the package pg: `npm install pg`'
    throw new StartError('PTS_BAD_DATABASE', fix, { cause: error })
  }
}

/** `sslmode` as PostgreSQL documents it: `require` encrypts, `verify-full` also checks who answers. */
function withLibpqSslModes(url: string): string {
  if (/[?&]uselibpqcompat=/.test(url)) return url
  return `${url}${url.includes('?') ? '&' : '?'}uselibpqcompat=true`
}

/** The pool, which never hands out again a connection whose statement got no answer: it may still run. */
function discarding(pool: pg.Pool, isBroken: (error: unknown) => boolean): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect()
      let broken: unknown
      const query = async (text: string, values: unknown[]) => {
        if (broken !== undefined) throw broken
        try {
          return await client.query(text, values)
        } catch (error) {
          if (isBroken(error)) broken = error
          throw error
        }
      }
      const release = (discard?: boolean) => client.release(discard || broken !== undefined)
      // Kysely's type also has the cursors that we do not give it.
      return { query, release } as unknown as PostgresPoolClient
    }
  }
}
