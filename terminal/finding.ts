import type { Db } from '../db/schema.ts'
import type { ProcessSettings } from '../options/index.ts'

/** The result of a check. */
export interface Finding {
  check: string
  /** `warning`: the service works, but an operator should act. `problem`: the service does not start or does not work. */
  status: 'ok' | 'warning' | 'problem'
  text: string
  /** How to fix it. */
  mend?: string
}

const makeFinding =
  (status: Finding['status']) =>
  (check: string, text: string, mend?: string): Finding => ({ check, status, text, ...(mend && { mend }) })

export const ok = makeFinding('ok')
export const warning = makeFinding('warning')
export const problem = makeFinding('problem')

/** A check that needs an open database. */
export type Check = (db: Db, settings: ProcessSettings, full: boolean) => AsyncGenerator<Finding>
