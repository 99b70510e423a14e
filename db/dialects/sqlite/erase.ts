import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../schema.ts'

/** Milliseconds to wait for readers of the former contents, and between two attempts. */
const readersTimeout = 10_000
const pause = 50

/**
 * Writes the file anew and empties the write-ahead log, so that neither has bytes of what was replaced or deleted. Returns
 * false if a reader of the former contents did not end in time. Rejects with SQLITE_BUSY if other writers do not let it.
 */
export async function eraseRemains(db: Db): Promise<boolean> {
  await sql`vacuum`.execute(db)
  const deadline = performance.now() + readersTimeout
  while (!(await emptyLog(db))) {
    if (performance.now() > deadline) return false
    await setTimeout(pause)
  }
  return true
}

async function emptyLog(db: Db): Promise<boolean> {
  const { rows } = await sql<{ busy: 0 | 1 }>`pragma wal_checkpoint(truncate)`.execute(db)
  return rows[0]?.busy === 0
}
