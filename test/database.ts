import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import type { Test } from 'tap'

/** A PostgreSQL server on which the tests create databases. Without it they run on SQLite. */
const server = process.env.TEST_DATABASE_URL

/** The engine of this run of the suite. */
export const engine = server ? 'postgres' : 'sqlite'

/** Creates a directory that is removed after the test. */
export async function directory(t: Test): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'product-templates-'))
  t.teardown(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Returns the `DATABASE_URL` of an empty database for the test. */
export async function databaseUrl(t: Test): Promise<string> {
  return engine === 'postgres' ? postgresUrl(t) : sqliteUrl(t)
}

/** Returns a SQLite URL, whatever engine the suite runs on. */
export const sqliteUrl = async (t: Test): Promise<string> =>
  `sqlite:${join(await directory(t), 'templates.db')}`

/** Returns a PostgreSQL URL; needs a server, also in the run on SQLite. */
export async function postgresUrl(t: Test, serverUrl = server): Promise<string> {
  if (serverUrl === undefined) throw new Error('TEST_DATABASE_URL names no server: `npm test` brings one')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, `create database ${name}`)
  t.teardown(() => onServer(serverUrl, `drop database if exists ${name} with (force)`))
  const url = new URL(serverUrl)
  url.pathname = name
  return url.href
}

/** Runs one statement on a server. */
export async function onServer(connectionString: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Returns the errors that the engine finds in its own files. */
export async function damage(url: string): Promise<unknown[]> {
  if (url.startsWith('sqlite:')) {
    const file = new Sqlite(url.slice('sqlite:'.length))
    const found = file.pragma('integrity_check') as { integrity_check: string }[]
    file.close()
    return found.filter(({ integrity_check }) => integrity_check !== 'ok')
  }
  await onServer(url, 'create extension if not exists amcheck')
  // Each B-tree, and that it has every row of its table.
  const check = `select bt_index_check(pg_class.oid, true)
    from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
    where amname = 'btree' and indrelid::regclass::text like 'product%'`
  return onServer(url, check).then(
    () => [],
    error => [error]
  )
}
