/** The thread behind `background-thread.ts`: runs the statements that it is sent, one at a time, on a handle of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import type Sqlite from 'better-sqlite3'
import { assertInode, SqliteHandle } from './handle.ts'
import { openReader } from './open.ts'
import { busyTimeout } from './writers.ts'

/** The database file: the thread refuses another one that has taken its place. */
export interface BackgroundFile {
  path: string
  inode: number
}

export interface Statement {
  sql: string
  parameters: readonly unknown[]
}

/** The rows by column: copying 100,000 objects to another thread takes ten times as long. */
export interface Columns {
  names: string[]
  values: unknown[][]
}

/** `code` is SQLite's: an error that is copied to another thread keeps only its message. */
export type Answer = { columns: Columns } | { error: { message: string; code: string | undefined } }

const { path, inode } = workerData as BackgroundFile
let handle: SqliteHandle | undefined

parentPort?.on('message', (statement: Statement) => parentPort?.postMessage(answer(statement)))

function answer({ sql, parameters }: Statement): Answer {
  try {
    handle ??= openHandle()
    handle.assertLatelyInPlace()
    return { columns: readColumns(handle.file.prepare(sql), parameters) }
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    return { error: { message, code } }
  }
}

function openHandle(): SqliteHandle {
  // Before SQLite opens it: it would take the WAL beside it for that of the new file.
  assertInode(path, inode)
  const file = openReader(path)
  try {
    // Nobody else is kept waiting while this thread waits.
    file.pragma(`busy_timeout = ${busyTimeout}`)
    const opened = new SqliteHandle(file, inode)
    opened.assertInPlace()
    return opened
  } catch (error) {
    file.close()
    throw error
  }
}

function readColumns(statement: Sqlite.Statement, parameters: readonly unknown[]): Columns {
  const names = statement.columns().map(({ name }) => name)
  const rows = statement.raw().all(parameters) as unknown[][]
  return { names, values: names.map((_, column) => rows.map(row => row[column])) }
}
