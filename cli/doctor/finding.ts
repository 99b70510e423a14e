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

/** Collects what the checks find. */
export class Findings {
  readonly all: Finding[] = []

  ok(check: string, text: string): void {
    this.all.push({ check, status: 'ok', text })
  }

  warning(check: string, text: string, mend: string): void {
    this.all.push({ check, status: 'warning', text, mend })
  }

  problem(check: string, text: string, mend: string): void {
    this.all.push({ check, status: 'problem', text, mend })
  }

  count(status: Finding['status']): number {
    return this.all.filter(found => found.status === status).length
  }
}

/** A check of a database that can be read. */
export type Check = (findings: Findings, db: Db, settings: ProcessSettings, full: boolean) => Promise<void>
