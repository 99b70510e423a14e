/** The thread of `background-thread.ts`: runs the statements it receives, one at a time, on its own handle. */
import { parentPort, workerData } from 'node:worker_threads'
import type Sqlite from 'better-sqlite3'
import type { SqliteHandle } from './handle.ts'
import { openReaderOf } from './reader.ts'
import { busyTimeout } from './writers.ts'

/** The database file. The thread refuses a file that has replaced it. */
export interface BackgroundFile {
  path: string
  inode: number
}

export interface Statement {
  sql: string
  parameters: readonly unknown[]
}

/** The rows by column; copying 100,000 objects to another thread would take ten times as long. */
export interface Columns {
  names: string[]
  values: unknown[][]
}

/** `code` is SQLite's. An error copied to another thread keeps only its message, so the code is sent separately. */
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
  const opened = openReaderOf(path, inode)
  // This thread may block while it waits.
  opened.file.pragma(`busy_timeout = ${busyTimeout}`)
  return opened
}

function readColumns(statement: Sqlite.Statement, parameters: readonly unknown[]): Columns {
  const names = statement.columns().map(({ name }) => name)
  const rows = statement.raw().all(parameters) as unknown[][]
  return { names, values: names.map((_, column) => rows.map(row => row[column])) }
}
