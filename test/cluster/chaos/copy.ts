import { execFile } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { type PostgresServer, writeFiles } from '../../support/postgres/postgres.ts'

/**
 * Replaces the files of a server that has ended by those of one that runs, for a standby of it: PostgreSQL, "Making a
 * Base Backup Using the Low Level API". pg_basebackup is not in the package.
 */
export async function copyRunning(from: PostgresServer, to: PostgresServer): Promise<void> {
  const client = new pg.Client(from.url)
  await client.connect()
  try {
    await client.query(`select pg_backup_start('copy', true)`)
    for (const name of readdirSync(to.directory)) rmSync(join(to.directory, name), { recursive: true })
    // It fails if a file vanishes meanwhile, which is allowed.
    await promisify(execFile)('cp', ['-a', `${from.directory}/.`, to.directory]).catch(() => {})
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    forget(to, ['postmaster.pid', 'postmaster.opts', 'pg_wal'])
    makeDirectory(join(to.directory, 'pg_wal'), to.directory)
    writeFiles(to, { backup_label: rows[0].labelfile })
  } finally {
    await client.end()
  }
}

function forget({ directory }: PostgresServer, names: string[]): void {
  for (const name of names) rmSync(join(directory, name), { recursive: true, force: true })
}

/** Of the same owner as another. */
function makeDirectory(path: string, other: string): void {
  const { uid, gid } = statSync(other)
  mkdirSync(path, { mode: 0o700 })
  chownSync(path, uid, gid)
}
