import type pg from 'pg'
import { StartError } from '../../../errors.ts'
import { PostgresPoolDialect } from './dialect.ts'
import { ConnectionPool, type PostgresSettings } from './pool.ts'
import { postgresTypes } from './types.ts'

/** Milliseconds that the server has to answer that it ended a statement, before the connection is given up. */
const answerGrace = 1000

/** Kysely on a pool of pg connections. Throws StartError where the package pg is missing. */
export async function openPostgres(url: string, settings: PostgresSettings): Promise<PostgresPoolDialect> {
  const { Pool, DatabaseError } = await importPg()
  const pool = new Pool({
    connectionString: withLibpqSslModes(url),
    application_name: 'product-templates',
    max: settings.databasePoolSize,
    connectionTimeoutMillis: settings.databaseConnectTimeout * 1000,
    statement_timeout: settings.databaseQueryTimeout * 1000,
    // Sooner, so that the error tells what the statement waited for.
    lock_timeout: settings.databaseQueryTimeout * 500,
    query_timeout: settings.databaseQueryTimeout * 1000 + answerGrace,
    keepAlive: true,
    types: postgresTypes
  })
  // A connection that breaks while nobody uses it leaves the pool by itself.
  pool.on('error', () => {})
  // One that breaks between two statements of a transaction would end the process.
  pool.on('connect', client => client.on('error', () => {}))
  return new PostgresPoolDialect(new ConnectionPool(pool, error => error instanceof DatabaseError))
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
