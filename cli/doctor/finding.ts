import type { Db } from '../../db/schema.ts'
import type { ProcessSettings } from '../../options.ts'

/** What one check found. */
export interface Finding {
  check: string
  /** `warning`: it works, but something should be done. `problem`: the service does not start or not work. */
  status: 'ok' | 'warning' | 'problem'
  text: string
  /** What to do about it. */
  mend?: string
}

/** A check of a database that can be read. */
export type Check = (db: Db, settings: ProcessSettings, full: boolean) => Promise<Finding[]>

/** Makes the findings of a check. */
export const findingsOf = (check: string) => ({
  ok: (text: string): Finding => ({ check, status: 'ok', text }),
  warning: (text: string, mend: string): Finding => ({ check, status: 'warning', text, mend }),
  problem: (text: string, mend: string): Finding => ({ check, status: 'problem', text, mend })
})
