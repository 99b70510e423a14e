/** A thread of `threads.ts`. It runs the statements that it receives, one at a time, on its own handle. */
import { parentPort, workerData } from 'node:worker_threads'
import { busyTimeout, type DatabaseFile, openReadHandle, type SqliteHandle } from './handle.ts'

export interface Statement {
  sql: string
  parameters?: readonly unknown[]
}

/** Of an error, another thread gets only the message, so SQLite's code is sent with it. */
export type Answer = { rows: unknown[] } | { error: { message: string; code: string | undefined } }

const file = workerData as DatabaseFile
let handle: SqliteHandle | undefined

parentPort?.on('message', (statement: Statement) => parentPort?.postMessage(answer(statement)))

function answer({ sql, parameters }: Statement): Answer {
  try {
    handle ??= open()
    // A transaction can always end.
    if (sql !== 'rollback') handle.assertLatelyInPlace()
    return { rows: handle.execute(sql, parameters).rows }
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    return { error: { message, code } }
  }
}

function open(): SqliteHandle {
  const opened = openReadHandle(file)
  // This thread may block while it waits for a lock.
  opened.file.pragma(`busy_timeout = ${busyTimeout}`)
  return opened
}
