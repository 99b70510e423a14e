/** A PostgreSQL server with a streaming standby. */
import type { Test } from 'tap'
import { onServer } from '../database/database.ts'
import { until } from '../until.ts'
import { type PostgresServer, startPostgres, startStandby } from './postgres.ts'

/** `files` are in the primary's directory, and therefore in the standby's. */
export async function startPair(
  t: Test,
  files: Record<string, string> = {}
): Promise<{ primary: PostgresServer; standby: PostgresServer }> {
  const primary = await startPostgres({}, files)
  t.teardown(() => primary.stop())
  const standby = await startStandby(primary)
  t.teardown(() => standby.stop())
  return { primary, standby }
}

/** Makes each commit wait for the standby. A standby that is promoted later does not have this setting. */
export async function makeSynchronous(primary: PostgresServer): Promise<void> {
  await onServer(primary.url, `alter system set synchronous_standby_names = '*'`)
  await onServer(primary.url, 'select pg_reload_conf()')
  const states = `select 1 from pg_stat_replication where sync_state = 'sync'`
  await until(async () => (await onServer(primary.url, states)).rowCount === 1)
}

/** Returns the URL of a server with these ports instead of its own. */
export const hostList = (server: { url: string }, ports: number[], parameters = ''): string =>
  server.url.replace(/@[^/]*/, `@${ports.map(port => `127.0.0.1:${port}`).join()}`) + parameters

/** Waits until a standby has all commits. */
export async function catchUp(standby: PostgresServer, primary: PostgresServer): Promise<void> {
  const { rows } = await onServer(primary.url, 'select pg_current_wal_flush_lsn() as lsn')
  await until(async () => {
    const found = await onServer(standby.url, `select pg_last_wal_replay_lsn() >= '${rows[0].lsn}' as there`)
    return found.rows[0].there
  })
}
