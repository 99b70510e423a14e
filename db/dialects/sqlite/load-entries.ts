import { LoadThread } from './load-thread.ts'
import { type IndexedRow, type PreparedEntries, prepareRows } from './prepare-entries.ts'

/** Templates of a load from which on a thread prepares the entries; its start costs as much as some hundred of them. */
const minForThread = 2000
/** Calls of `prepare` that the thread may be behind. It starts meanwhile. */
const maxBehind = 16

/**
 * Runs a job that is given the function that prepares the entries of rows. `insert` gets them, in order, while those of
 * the next rows are prepared.
 */
export async function prepareAside(
  insert: (prepared: PreparedEntries) => Promise<void>,
  job: (prepare: (rows: IndexedRow[]) => Promise<void>) => Promise<void>
): Promise<void> {
  const behind: Promise<PreparedEntries>[] = []
  let thread: LoadThread | undefined
  let count = 0
  const insertNext = async () => {
    const prepared = await behind.shift()
    if (prepared) await insert(prepared)
  }
  try {
    await job(async rows => {
      count += rows.length
      if (count < minForThread) return insert(prepareRows(rows))
      thread ??= new LoadThread()
      const prepared = thread.prepare(rows)
      // It is awaited later.
      prepared.catch(() => {})
      behind.push(prepared)
      if (behind.length > maxBehind) await insertNext()
    })
    while (behind.length > 0) await insertNext()
  } finally {
    await thread?.end()
  }
}
