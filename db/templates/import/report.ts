import { makeProblem } from '../../../domain/validation/problem.ts'
import type { NewTemplate } from '../../../domain/validation/record.ts'
import type { WriteProblem } from '../writing/decisions.ts'
import type { Author } from '../writing/rights.ts'

/** A problem of a record. Its code is a code of a write, or one of these. */
export interface Problem extends Omit<WriteProblem, 'code'> {
  code:
    | WriteProblem['code']
    /** The record cannot be read. */
    | 'UNREADABLE'
    /** Templates do not have this field. */
    | 'UNKNOWN_FIELD'
    /** Another record of the import has this id. */
    | 'DUPLICATE_ID'
}

/** A record to import. */
export interface ImportRecord<Place = undefined> {
  /** The fields, named as in GraphQL. `document`, an object, may replace `data`. */
  values?: unknown
  /** The place of the record. Its problems have the same place. */
  place: Place
  /** Replace the stored template only if this is its revision. */
  expectedRevision?: number | null | undefined
  /** Why the record could not be read. */
  problems?: Problem[]
  /** Whether no later record can be read. Nothing is imported then. */
  unreadable?: boolean
}

export type ImportRecords<Place> = AsyncIterable<ImportRecord<Place>> | Iterable<ImportRecord<Place>>

export interface ImportOptions<Place = undefined> {
  /** If a template with the id exists: report a problem, keep the existing one, or replace it. */
  existing?: 'refuse' | 'keep' | 'replace'
  /** Refuse the import at the first problem, skip records with problems, or refuse it with all problems. */
  onProblem?: 'stop' | 'skip' | 'report'
  /** Find all problems, but write nothing. */
  dryRun?: boolean
  /** Makes further checks. The template lacks fields that cannot be stored. Warnings do not prevent the import. */
  validate?: (template: Partial<NewTemplate>) => { problems: Problem[]; warnings: Problem[] }
  /** The author of the revisions, with rights. */
  author: Author
  /** Return the ids of all templates. */
  withIds?: boolean
  /** Called with each problem and warning. */
  report?: (problem: ImportProblem<Place>) => void
}

/** A problem and the record it was found in. */
export interface ImportProblem<Place = undefined> extends Problem {
  place: Place
  /** The position of the record, from 0. */
  index: number
  /** Whether the template is imported nevertheless. */
  warning: boolean
}

export interface ImportResult<Place = undefined> {
  /** false after a dry run, or if the import was refused. */
  written: boolean
  /** Number of records. */
  read: number
  /** New templates. In a dry run or a refused import, templates that would be new. */
  inserted: number
  replaced: number
  /** Existing templates with the same values. */
  unchanged: number
  /** Existing templates that `existing: 'keep'` has kept. */
  kept: number
  /** Records with problems. */
  refused: number
  /** Records with warnings. */
  warned: number
  /** With `withIds`: the ids of the records, in their order. */
  ids: number[]
  /** The first {@link maxProblems} problems, and as many warnings, so that these hide no problem. */
  problems: ImportProblem<Place>[]
}

/** Problems that a result lists, and as many warnings. */
const maxProblems = 1000

/** Collects the result of an import, and decides whether its problems stop it. */
export class ImportReport<Place = undefined> {
  readonly options: ImportOptions<Place>
  /** The highest id of this import so far; -1: none. */
  highestId = -1
  readonly result: ImportResult<Place> = {
    written: false,
    read: 0,
    inserted: 0,
    replaced: 0,
    unchanged: 0,
    kept: 0,
    refused: 0,
    warned: 0,
    ids: [],
    problems: []
  }
  readonly #ids = new Set<number>()
  #unreadable = false
  /** How many problems, and how many warnings, the result lists. */
  #problems = 0
  #warnings = 0

  constructor(options: ImportOptions<Place>) {
    this.options = options.dryRun ? { ...options, onProblem: 'report' } : options
  }

  /** Whether templates are written: this is no dry run, and the import is not refused. */
  get isWriting(): boolean {
    return !this.options.dryRun && !this.#isRefused
  }

  get #isRefused(): boolean {
    return this.#unreadable || (this.options.onProblem !== 'skip' && this.result.refused > 0)
  }

  /** Whether no more records are read. */
  get stopped(): boolean {
    return this.#unreadable || (this.#isRefused && (this.options.onProblem ?? 'stop') === 'stop')
  }

  /** Reserves an id for a record. Returns false and refuses the record if an earlier one has this id. */
  claimId(id: number, source: Source<Place>): boolean {
    if (this.#ids.has(id)) {
      this.refuse([makeProblem('DUPLICATE_ID', `another record of this import has id ${id}`, 'id')], source)
      return false
    }
    this.#ids.add(id)
    if (this.options.withIds) this.result.ids[source.index] = id
    this.highestId = Math.max(this.highestId, id)
    return true
  }

  /** Refuses a record and reports its problems. */
  refuse(problems: Problem[], source: Source<Place>, unreadable = false): void {
    this.result.refused++
    this.#unreadable ||= unreadable
    this.#list(problems, source, false)
  }

  warn(problems: Problem[], source: Source<Place>): void {
    if (problems.length > 0) this.result.warned++
    this.#list(problems, source, true)
  }

  #list(problems: Problem[], { place, index }: Source<Place>, warning: boolean): void {
    for (const problem of problems.map(problem => ({ ...problem, place, index, warning }))) {
      if ((warning ? this.#warnings++ : this.#problems++) < maxProblems) this.result.problems.push(problem)
      this.options.report?.(problem)
    }
  }
}

/** The place and position of a record, and the revision that it expects. */
export interface Source<Place> {
  place: Place
  index: number
  expectedRevision: number | null | undefined
}
