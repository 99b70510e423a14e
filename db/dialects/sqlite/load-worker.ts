/** The thread of `load-thread.ts`: prepares the entries of the rows it receives. */
import { parentPort } from 'node:worker_threads'
import { type IndexedRow, prepareRows } from './prepare-entries.ts'

parentPort?.on('message', (rows: IndexedRow[]) => {
  const prepared = prepareRows(rows)
  const { type, hash, template } = prepared.traits
  parentPort?.postMessage(prepared, [type.buffer, hash.buffer, template.buffer])
})
