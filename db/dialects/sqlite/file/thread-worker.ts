/** A thread of `threads.ts`: runs the statements it receives, one at a time, on its own handle. */
import { parentPort, workerData } from 'node:worker_threads'
import type { CompiledQuery } from 'kysely'
import type { DatabaseFile, SqliteHandle } from './handle.ts'
import { openReadHandle } from './open.ts'
import { busyTimeout } from './writers.ts'

/** An error is copied to another thread with its message only, so SQLite's code is sent beside it. */
export type Answer = { rows: unknown[] } | { error: { message: string; code: string | undefined } }

const file = workerData as DatabaseFile
let handle: SqliteHandle | undefined

parentPort?.on('message', (query: CompiledQuery) => parentPort?.postMessage(answer(query)))

function answer({ sql, parameters }: CompiledQuery): Answer {
  try {
    handle ??= open()
    handle.assertLatelyInPlace()
    return { rows: handle.file.prepare(sql).all(parameters) }
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
