import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import { engineOf } from '../../db/dialects/engine.ts'
import { findFilePath } from '../../db/dialects/sqlite/file-path.ts'
import type { Db } from '../../db/schema.ts'
import { clockSkewSeconds } from '../../db/timestamp.ts'
import { type Check, findingsOf } from './finding.ts'

const { ok, warning, problem } = findingsOf('clock')

/** The clock against that of the database and against what was written before. */
export const checkClock: Check = async db => {
  const now = Date.now()
  const difference = await findDifference(db)
  if (Math.abs(difference) > clockSkewSeconds)
    return [
      problem(`it is ${difference.toFixed()} s from that of the database`, 'synchronise both, with NTP')
    ]
  const last = await findLastWrite(db)
  const ahead = Math.round((last - now) / 1000)
  if (ahead > clockSkewSeconds)
    return [
      warning(
        `the database was written ${ahead} s in the future: the clock is wrong, or was`,
        'synchronise it, with NTP; tokens issued in the future stay valid for longer'
      )
    ]
  return [ok(`${new Date(now).toISOString()}, later than everything stored`)]
}

/** Seconds by which the clock of a server is ahead. */
async function findDifference(db: Db): Promise<number> {
  if (engineOf(db).name === 'sqlite') return 0
  const { rows } = await sql<{ time: string }>`
    select extract(epoch from clock_timestamp())::text as time`.execute(db)
  return Number(rows[0]?.time) - Date.now() / 1000
}

/** Returns the latest time at which something was written, in milliseconds since the epoch. */
async function findLastWrite(db: Db): Promise<number> {
  const { last } = await db
    .selectFrom('product_template')
    .select(({ fn }) => fn.max('time_modified').as('last'))
    .executeTakeFirstOrThrow()
  const key = await db
    .selectFrom('product_signing_key')
    .select(({ fn }) => fn.max('time_created').as('last'))
    .executeTakeFirstOrThrow()
  const path = await findFilePath(db)
  const file = path === undefined ? undefined : await stat(path)
  const times = [last, key.last].filter(time => time !== null).map(time => Date.parse(time))
  return Math.max(0, file?.mtimeMs ?? 0, ...times)
}
