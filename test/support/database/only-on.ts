import { type Test, t } from 'tap'
import { engine } from './database.ts'

/** Registers a test on one engine: the other cannot run it, or would repeat it. There it does not count as skipped. */
export function onlyOn(wanted: typeof engine, name: string, body: (t: Test) => unknown): void {
  if (engine === wanted) t.test(name, body)
}
