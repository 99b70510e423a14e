import { setTimeout } from 'node:timers/promises'
import { Kysely } from 'kysely'
import type { ClientBase, ClientConfig } from 'pg'
import { StartError } from '../../../runtime/host-errors.ts'
import { importOptional } from '../../../runtime/package/optional-package.ts'
import type { Database, Db } from '../../schema.ts'
import { addParameter, postgresAddress, postgresDefaults } from '../../url.ts'
import { isUnavailable } from '../faults.ts'
import type { DatabaseOptions, Engine } from '../interface.ts'
import { StatementNames } from '../prepared.ts'
import { PostgresPoolDialect } from './dialect.ts'
import { Servers } from './servers.ts'
import { postgresTypes } from './types.ts'

/** Milliseconds in which the server must report a statement timeout. After that, the connection is closed. */
const answerGrace = 1000
/**
 * Seconds after which a connection is replaced. Its prepared plans suit the former sizes of the tables, and the server
 * makes new ones only after an ANALYZE.
 */
const maxLifetime = 300

/** Seconds for a statement of a migration, which may scan large tables. */
export const migrationTimeout = 600
/** Milliseconds between attempts to reach a server. Each pause doubles the previous one. */
const firstPause = 100
const longestPause = 2000

type PoolSettings = typeof postgresDefaults & Pick<DatabaseOptions, 'endsWithClient'>

/** Opens the database of a URL and migrates it. Waits until the server can be reached. */
export const openMigrated: Engine['open'] = async (url, options, migrate) => {
  const settings = { ...postgresDefaults, ...options }
  const deadline = performance.now() + settings.databaseStartTimeout * 1000
  const migrating = { ...settings, databasePoolSize: 1, databaseQueryTimeout: migrationTimeout }
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    const db = await openPool(url, migrating)
    try {
      await migrate(db)
      return await openPool(url, settings)
    } catch (error) {
      if (!isUnavailable(error) || performance.now() + pause > deadline) throw cannotUse(url, error)
    } finally {
      await db.destroy()
    }
    // Random, so that many instances do not connect at the same moment.
    await setTimeout(pause * (0.5 + Math.random() / 2))
  }
}

/** Connects to any server of the URL, unless the URL has `target_session_attrs`. */
export const openReplica: Engine['openReplica'] = (url, options) =>
  openPool(addParameter(url, 'target_session_attrs', 'any'), options)

export const openReadOnly: Engine['openReadOnly'] = (url, settings) =>
  openPool(url, { ...settings, databasePoolSize: 1 })

export async function openPool(url: string, options: DatabaseOptions): Promise<Db> {
  return new Kysely<Database>({ dialect: await openPostgres(url, { ...postgresDefaults, ...options }) })
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

/** Opens a pool of pg connections as a Kysely dialect. Throws StartError if the package pg is missing. */
export async function openPostgres(url: string, settings: PoolSettings): Promise<PostgresPoolDialect> {
  const { Client, Pool } = (await importOptional(() => import('pg'), noPg)).default
  const options: ClientConfig = {
    application_name: 'product-templates',
    connectionTimeoutMillis: settings.databaseConnectTimeout * 1000,
    statement_timeout: settings.databaseQueryTimeout * 1000,
    // Shorter than the statement timeout, so that the error names the lock.
    lock_timeout: settings.databaseQueryTimeout * 500,
    query_timeout: settings.databaseQueryTimeout * 1000 + answerGrace,
    keepAlive: true,
    types: postgresTypes
  }
  const servers = new Servers(url, Client, options)
  const pool = new Pool({
    ...options,
    Client: servers.Client,
    onConnect: async client => {
      await servers.check(client)
      if (settings.endsWithClient) await endWithClient(client)
    },
    max: settings.databasePoolSize,
    // Random, so that many instances do not replace connections at the same moment.
    maxLifetimeSeconds: maxLifetime * (0.8 + Math.random() / 5)
  })
  // The pool removes a broken idle connection itself.
  pool.on('error', () => {})
  // Without a listener, a connection that breaks between two statements of a transaction would end the process.
  pool.on('connect', client => client.on('error', () => {}))
  return new PostgresPoolDialect(pool, servers, new StatementNames())
}

/**
 * Makes the server end the running statement within a second after the connection is closed. An older server than 14,
 * or one on a system that does not report it, ends the statement after the statement timeout.
 */
async function endWithClient(client: ClientBase): Promise<void> {
  const statement = `select set_config(name, '1s', false) from pg_settings where name = 'client_connection_check_interval'`
  await client.query(statement).catch(() => {})
}

const noPg = (cause: unknown): StartError =>
  new StartError('PTS_BAD_DATABASE', 'PostgreSQL needs the package pg: `npm install pg`', { cause })
