import { setTimeout } from 'node:timers/promises'
import type { Db } from '../../schema.ts'
import { indexVersion } from './entries.ts'
import { indexPending } from './pending.ts'
import { prepareIndex } from './prepare.ts'
import { continueRebuild } from './rebuild.ts'
import { readIndexState } from './state.ts'

export interface UpkeepOptions {
  /** Stops the work after a batch. */
  signal: AbortSignal
  /** Called at the start and the end of a rebuild, with its duration. */
  report: (what: 'begin' | 'end', milliseconds?: number) => void
}

/** Milliseconds between checks whether another process has indexed the pending templates. */
const pause = 200

/** Finishes a rebuild in progress and indexes pending templates. */
export async function keepIndex(db: Db, { signal, report }: UpkeepOptions): Promise<void> {
  let state = await readIndexState(db)
  // PostgreSQL's trigger sets version 0 after a truncate, and an older program that starts meanwhile sets its own.
  if (state.version < indexVersion) {
    await prepareIndex(db)
    state = await readIndexState(db)
  }
  if (state.version === indexVersion && state.reached !== null) {
    const begin = performance.now()
    report('begin')
    await continueRebuild(db, { signal })
    report('end', performance.now() - begin)
  }
  while (state.pending > 0 && state.version === indexVersion) {
    signal.throwIfAborted()
    if (!(await indexPending(db))) await setTimeout(pause, undefined, { signal })
    state = await readIndexState(db)
  }
}
