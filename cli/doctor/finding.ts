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

export const ok = (check: string, text: string): Finding => ({ check, status: 'ok', text })

export const warning = (check: string, text: string, mend: string): Finding => ({
  check,
  status: 'warning',
  text,
  mend
})

export const problem = (check: string, text: string, mend: string): Finding => ({
  check,
  status: 'problem',
  text,
  mend
})

/** A check of a database that can be read. */
export type Check = (db: Db, settings: ProcessSettings, full: boolean) => AsyncGenerator<Finding>
