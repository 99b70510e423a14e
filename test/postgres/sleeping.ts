/** Statements that sleep in the server, and the timeouts that end them. */
import { type RawBuilder, sql } from 'kysely'
import type { Test } from 'tap'
import { operationDb } from '../../db/dialects/engine.ts'
import type { Db } from '../../db/schema.ts'
import { openDatabase } from '../../features/database.ts'
import { migratedUrl } from '../support/database/database.ts'

/** A database of the test's own, and a connection to it that only watches. */
export async function open(t: Test, options: object, through?: (t: Test, url: string) => Promise<string>) {
  const direct = await migratedUrl(t)
  const watcher = await openDatabase(direct)
  t.teardown(() => watcher.destroy())
  const db = await openDatabase((await through?.(t, direct)) ?? direct, options)
  t.teardown(() => db.destroy())
  return { db, watcher }
}

/** Process ids of the server that run a `pg_sleep` in this database. */
export async function sleepers(watcher: Db): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%pg_sleep(%' and pid <> pg_backend_pid()`.execute(
    watcher
  )
  return rows.map(({ pid }) => pid)
}

export const sleep = sql<{ done: string }>`select pg_sleep(600) as done`

/** Runs a statement of an operation. */
export const runOperation = async <R>(db: Db, query: RawBuilder<R>, signal?: AbortSignal): Promise<R[]> =>
  (await query.execute(operationDb(db, { signal }))).rows

/** The timeouts of a connection: of statements and of locks. */
export async function timeouts(db: Db): Promise<string[]> {
  const { rows } = await sql<{ statement: string; lock: string }>`select
    current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`.execute(db)
  return Object.values(rows[0] ?? {})
}
