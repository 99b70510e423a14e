import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import { engineOf, engineOfUrl } from '../../db/dialects/engine.ts'
import { findMissingMigrations } from '../../db/migrate.ts'
import type { Db, Transaction } from '../../db/schema.ts'
import { isReadable, readIndexState } from '../../db/templates/template-index/state.ts'
import { transactReadOnly } from '../../db/transaction.ts'
import { clockSkewSeconds } from '../../domain/timestamp.ts'
import { migrations } from '../../features/database.ts'
import type { ProcessSettings } from '../../options/index.ts'
import { type Check, type Finding, ok, problem, warning } from '../../terminal/finding.ts'
import { compareTemplates, type TemplateComparison } from './compare-templates.ts'

/**
 * Runs a job on a snapshot of the database. Changes nothing, and runs no migration. Throws StartError if a SQLite file
 * cannot be opened, otherwise the error of the driver.
 */
export async function inspectDatabase(
  settings: ProcessSettings,
  job: (snapshot: Transaction) => Promise<void>
): Promise<void> {
  const { database } = settings
  const db = await engineOfUrl(database).openReadOnly(database, settings)
  try {
    await transactReadOnly(db, job)
  } finally {
    await db.destroy()
  }
}

/** Checks whether PostgreSQL accepts writes. For a SQLite file, `checkDisk` does that. */
export const checkDatabase: Check = async function* (db) {
  if (engineOf(db).name === 'sqlite') {
    const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db)
    return yield ok('database', `SQLite ${rows[0]?.version}`)
  }
  const { rows } = await sql<{ version: string; standby: boolean; locked: string }>`
    select current_setting('server_version') as version, pg_is_in_recovery() as standby,
      current_setting('default_transaction_read_only') as locked`.execute(db)
  const { version = '', standby = false, locked = 'off' } = rows[0] ?? {}
  if (standby)
    yield problem('database', 'the server is a standby and takes no writes', 'connect to the primary')
  else if (locked === 'on')
    yield problem('database', 'transactions are read-only', 'reset default_transaction_read_only')
  else yield ok('database', `PostgreSQL ${version}`)
}

/** Checks whether the database has the tables of this program. */
export const checkMigrations: Check = async function* (db) {
  const { executed, missing } = await findMissingMigrations(db, migrations)
  if (missing.length === 0) yield ok('migrations', `all ${executed}`)
  else yield problem('migrations', `missing: ${missing.join(', ')}`, 'product-templates migrate')
}

/** Compares the clock of this machine with the clock of the database and with the times in it. */
export const checkClock: Check = async function* (db) {
  const now = Date.now()
  const difference = await findDifference(db)
  const ahead = Math.round(((await findLastWrite(db)) - now) / 1000)
  if (Math.abs(difference) > clockSkewSeconds) {
    const text = `the clock is ${difference.toFixed()} s from the clock of the database`
    yield problem('clock', text, 'synchronise both clocks with NTP')
  } else if (ahead > clockSkewSeconds) {
    const fix = 'synchronise the clock with NTP; tokens issued in the future stay valid for longer'
    const text = `the last write to the database is ${ahead} s in the future: the clock is or was wrong`
    yield warning('clock', text, fix)
  } else yield ok('clock', `${new Date(now).toISOString()}, later than the last write`)
}

/** Returns by how many seconds the clock of the database server is ahead. */
async function findDifference(db: Db): Promise<number> {
  if (engineOf(db).name === 'sqlite') return 0
  const { rows } = await sql<{ time: string }>`
    select extract(epoch from clock_timestamp())::text as time`.execute(db)
  return Number(rows[0]?.time) - Date.now() / 1000
}

/** Returns the milliseconds of the last write. It ignores `timeModified`, because an import may set that. */
async function findLastWrite(db: Db): Promise<number> {
  const { revision, key } = await db
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('product_revision')
        .select('time_recorded as time')
        .orderBy('sequence', 'desc')
        .limit(1)
        .as('revision'),
      selectFrom('product_signing_key')
        .select(({ fn }) => fn.max('time_created').as('time'))
        .as('key')
    ])
    .executeTakeFirstOrThrow()
  const path = await engineOf(db).findFile(db)
  const file = path === undefined ? undefined : await stat(path)
  const times = [revision, key].filter(time => time !== null).map(time => Date.parse(time))
  return Math.max(0, file?.mtimeMs ?? 0, ...times)
}

/** Compares the index and the revisions with the templates. */
export const checkTemplates: Check = async function* (db, _settings, full) {
  const state = await readIndexState(db)
  if (!isReadable(state)) {
    const text = 'the index of templates is not complete: filters that need it get 503'
    const fix = 'the service completes it while it runs; or run `product-templates reindex`'
    return yield warning('index', text, fix)
  }
  const compared = await compareTemplates(db, full)
  if (state.pending > 0) {
    const text = `${state.pending} templates written by plain SQL are not indexed yet`
    yield warning('index', text, 'the service indexes them while it runs')
  }
  yield* describeDifferences(compared)
}

function* describeDifferences({
  unindexed,
  unrecorded,
  gaps,
  compared,
  stored
}: TemplateComparison): Generator<Finding> {
  const all =
    compared === stored ? `all ${stored} templates` : `${compared} of ${stored} templates (--full: all)`
  if (unindexed.length === 0) yield ok('index', `matches ${all}`)
  else yield problem('index', `does not match ${list(unindexed)} of ${all}`, 'product-templates reindex')
  const fix = 'restore a backup: see docs/backup.md'
  const wrongHash = `the hash of the current revision does not match \`data\`: ${list(unrecorded)}`
  if (unrecorded.length > 0) yield problem('revisions', wrongHash, fix)
  if (gaps.length > 0) yield problem('revisions', `revisions are missing: ${list(gaps)}`, fix)
  if (unrecorded.length + gaps.length === 0) yield ok('revisions', `match ${all}`)
}

const list = (ids: number[]): string =>
  `template ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''}`
