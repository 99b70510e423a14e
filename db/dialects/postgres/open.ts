import type pg from 'pg'
import { StartError } from '../../../errors.ts'
import { PostgresPoolDialect } from './dialect.ts'
import { ConnectionPool, type PostgresSettings } from './pool.ts'
import { StatementNames } from './prepared-statements.ts'
import { postgresTypes } from './types.ts'

/** Milliseconds that the server has to report a statement timeout before the connection is closed. */
const answerGrace = 1000
/**
 * Seconds after which a connection is replaced. Its prepared plans are made for the sizes that the tables had; the server
 * itself makes them anew only after an ANALYZE.
 */
const maxLifetime = 300

/** Opens a pool of pg connections as a Kysely dialect. Throws StartError if the package pg is missing. */
export async function openPostgres(url: string, settings: PostgresSettings): Promise<PostgresPoolDialect> {
  const { Pool, DatabaseError } = await importPg()
  const pool = new Pool({
    connectionString: withLibpqSslModes(url),
    application_name: 'product-templates',
    max: settings.databasePoolSize,
    connectionTimeoutMillis: settings.databaseConnectTimeout * 1000,
    statement_timeout: settings.databaseQueryTimeout * 1000,
    // Shorter than the statement timeout, so that the error names the lock.
    lock_timeout: settings.databaseQueryTimeout * 500,
    query_timeout: settings.databaseQueryTimeout * 1000 + answerGrace,
    maxLifetimeSeconds: settings.databasePreparedStatements ? maxLifetime : 0,
    keepAlive: true,
    types: postgresTypes
  })
  // The pool removes a broken idle connection itself.
  pool.on('error', () => {})
  // Without a listener, a connection that breaks between two statements of a transaction would end the process.
  pool.on('connect', client => client.on('error', () => {}))
  const names = new StatementNames(settings.databasePreparedStatements)
  return new PostgresPoolDialect(new ConnectionPool(pool, names, error => error instanceof DatabaseError))
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

/** Gives `sslmode` the meaning that PostgreSQL documents: `require` encrypts, `verify-full` also checks the server. */
function withLibpqSslModes(url: string): string {
  if (/[?&]uselibpqcompat=/.test(url)) return url
  return `${url}${url.includes('?') ? '&' : '?'}uselibpqcompat=true`
}
