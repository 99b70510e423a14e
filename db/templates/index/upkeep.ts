import { setTimeout } from 'node:timers/promises'
import type { Db } from '../../schema.ts'
import { indexVersion } from './entries.ts'
import { indexPending } from './pending.ts'
import { prepareIndex } from './prepare.ts'
import { continueRebuild } from './rebuild.ts'
import { readIndexState } from './state.ts'

export interface UpkeepOptions {
  /** Ends the work between two batches. */
  signal: AbortSignal
  /** Hears what is done, and in how many milliseconds. */
  report: (what: 'begin' | 'end', milliseconds?: number) => void
}

/** Milliseconds before it is looked again whether another process has indexed what is pending. */
const pause = 200

/** Finishes a rebuild that is under way, and indexes what others have written since. */
export async function keepIndex(db: Db, { signal, report }: UpkeepOptions): Promise<void> {
  let state = await readIndexState(db)
  // PostgreSQL's triggers say so where all templates were truncated.
  if (state.version === 0) await prepareIndex(db)
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
