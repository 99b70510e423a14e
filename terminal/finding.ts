import type { Db } from '../db/schema.ts'
import type { ProcessSettings } from '../options/index.ts'

/** The result of a check. */
export interface Finding {
  check: string
  /** `warning`: an operator should act, but the service works. `problem`: it does not start or does not work. */
  status: 'ok' | 'warning' | 'problem'
  text: string
  /** How to fix it. */
  fix?: string
}

const makeFinding =
  (status: Finding['status']) =>
  (check: string, text: string, fix?: string): Finding => ({ check, status, text, ...(fix && { fix }) })

export const ok = makeFinding('ok')
export const warning = makeFinding('warning')
export const problem = makeFinding('problem')

/** A check that needs an open database. */
export type Check = (db: Db, settings: ProcessSettings, full: boolean) => AsyncGenerator<Finding>

/** What a feature gives to `doctor`. */
export interface Doctor {
  /** Checks the settings, even if there is no database to check. */
  checkSettings?(settings: ProcessSettings): Promise<Finding[]>
  /** Checks the database. Tables may be missing. */
  check?(db: Db, settings: ProcessSettings): AsyncGenerator<Finding>
  /** Lists its files that others must not read. `database` is the path of the SQLite file. */
  listPrivateFiles?(settings: ProcessSettings, database: string): Promise<string[]>
}
