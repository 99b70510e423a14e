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

const finding =
  (status: Finding['status']) =>
  (check: string, text: string, mend?: string): Finding => ({ check, status, text, ...(mend && { mend }) })

export const ok = finding('ok')
export const warning = finding('warning')
export const problem = finding('problem')

/** A check of a database that can be read. */
export type Check = (db: Db, settings: ProcessSettings, full: boolean) => AsyncGenerator<Finding>
