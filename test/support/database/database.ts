import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { t as root, type Test } from 'tap'

/** A PostgreSQL server on which the tests create databases. Without one, they run on SQLite. */
const server = process.env.TEST_DATABASE_URL

/** The engine of this run of the suite. */
export const engine = server ? 'postgres' : 'sqlite'

/** Creates a directory and removes it after the test. */
export async function directory(t: Test, parent = tmpdir()): Promise<string> {
  const path = await mkdtemp(join(parent, 'product-templates-'))
  // Retries, because a closing browser may still write into its directory.
  t.teardown(() => rm(path, { recursive: true, force: true, maxRetries: 10 }))
  return path
}

/** Returns the `DATABASE_URL` of an empty database for the test. */
export async function databaseUrl(t: Test): Promise<string> {
  return engine === 'postgres' ? postgresUrl(t) : sqliteUrl(t)
}

/** Returns the `DATABASE_URL` of a migrated database for the test. */
export async function migratedUrl(t: Test): Promise<string> {
  template ??= engine === 'postgres' ? createTemplate() : createTemplateFile()
  if (engine === 'postgres') return postgresUrl(t, server, await template)
  const url = await sqliteUrl(t)
  await copyFile(await template, url.slice('sqlite:'.length))
  return url
}

/** The name or the path of a migrated database, which a process creates once: a copy takes a fraction of the time. */
let template: Promise<string> | undefined

async function createTemplate(): Promise<string> {
  const url = await createPostgresDatabase(server ?? '')
  root.teardown(() => dropPostgresDatabase(server ?? '', url))
  await migrate(url)
  return new URL(url).pathname.slice(1)
}

async function createTemplateFile(): Promise<string> {
  const url = await sqliteUrl(root)
  await migrate(url)
  return url.slice('sqlite:'.length)
}

async function migrate(url: string): Promise<void> {
  // Imported here, because tests that only start commands do not need it.
  const { openDatabase } = await import('../../../features/database.ts')
  await (await openDatabase(url)).destroy()
}

/** Returns a SQLite URL, whichever engine the suite runs on. */
export const sqliteUrl = async (t: Test): Promise<string> =>
  `sqlite:${join(await directory(t), 'templates.db')}`

/** Returns a PostgreSQL URL, of a copy of `template` if given. Needs a server, even in the run on SQLite. */
export async function postgresUrl(t: Test, serverUrl = server, template?: string): Promise<string> {
  if (serverUrl === undefined) throw new Error('TEST_DATABASE_URL names no server: `npm test` brings one')
  const url = await createPostgresDatabase(serverUrl, template)
  t.teardown(() => dropPostgresDatabase(serverUrl, url))
  return url
}

const managers = new Map<string, pg.Pool>()

/** Returns the connection that creates and drops databases on a server. It does not keep the process alive. */
function manager(connectionString: string): pg.Pool {
  const found = managers.get(connectionString)
  if (found) return found
  const pool = new pg.Pool({ connectionString, max: 1, allowExitOnIdle: true })
  // A test may stop the server.
  pool.on('error', () => {})
  managers.set(connectionString, pool)
  return pool
}

/** Creates an empty database on a server, or a copy of `template`, and returns its URL. */
export async function createPostgresDatabase(serverUrl: string, template?: string): Promise<string> {
  const url = new URL(serverUrl)
  url.pathname = `test_${randomUUID().replaceAll('-', '')}`
  // Copies files, which is faster than logging each page.
  const copied = template === undefined ? '' : `template ${template} strategy file_copy`
  await manager(serverUrl).query(`create database ${url.pathname.slice(1)} ${copied}`)
  return url.href
}

export async function dropPostgresDatabase(serverUrl: string, url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await manager(serverUrl).query(`drop database if exists ${name} with (force)`)
}

/** Runs one statement on a server. */
export async function onServer(connectionString: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString })
  // If the connection breaks between two statements, the next statement rejects.
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Returns the corruption that the engine finds in its own files. */
export async function findCorruption(url: string): Promise<unknown[]> {
  if (url.startsWith('sqlite:')) {
    const file = new Sqlite(url.slice('sqlite:'.length))
    const found = file.pragma('integrity_check') as { integrity_check: string }[]
    file.close()
    return found.filter(({ integrity_check }) => integrity_check !== 'ok')
  }
  await onServer(url, 'create extension if not exists amcheck')
  // Checks that each B-tree is valid and complete.
  const check = `select bt_index_check(pg_class.oid, true)
    from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
    where amname = 'btree' and indrelid::regclass::text like 'product%'`
  return onServer(url, check).then(
    () => [],
    error => [error]
  )
}
