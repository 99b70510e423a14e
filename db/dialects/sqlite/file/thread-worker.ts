/** A thread of `threads.ts`: runs the statements it receives, one at a time, on its own handle. */
import { parentPort, workerData } from 'node:worker_threads'
import type { CompiledQuery } from 'kysely'
import type { DatabaseFile, SqliteHandle } from './handle.ts'
import { openReadHandle } from './open.ts'
import { busyTimeout } from './writers.ts'

/**
 * Rows by column: copying 100,000 objects to another thread would take ten times as long. Or an error: a copied one keeps
 * only its message, so SQLite's code is sent beside it.
 */
export type Answer =
  | { names: string[]; columns: unknown[][] }
  | { error: { message: string; code: string | undefined } }

const file = workerData as DatabaseFile
let handle: SqliteHandle | undefined

parentPort?.on('message', (query: CompiledQuery) => parentPort?.postMessage(answer(query)))

function answer({ sql, parameters }: CompiledQuery): Answer {
  try {
    handle ??= open()
    handle.assertLatelyInPlace()
    const statement = handle.file.prepare(sql)
    const names = statement.columns().map(({ name }) => name)
    const rows = statement.raw().all(parameters) as unknown[][]
    return { names, columns: names.map((_, column) => rows.map(row => row[column])) }
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    return { error: { message, code } }
  }
}

function open(): SqliteHandle {
  const opened = openReadHandle(file)
  // This thread may block while it waits.
  opened.file.pragma(`busy_timeout = ${busyTimeout}`)
  return opened
}
