import type { Author } from '../revisions/revisions.ts'
import { makeProblem } from '../validation/problem.ts'
import type { NewTemplate, Problem } from './record.ts'

/** A record to import, as it was read. */
export interface ImportRecord<Place = undefined> {
  /** The fields, named as in GraphQL; `document`, an object, may stand for `data`. */
  values?: unknown
  /** Where it is; returned with its problems. */
  place: Place
  /** The revision that the stored template must have, if it is to be replaced. */
  expectedRevision?: number | undefined
  /** Why it could not be read. */
  problems?: Problem[]
  /** Nothing after it can be read, so nothing is imported. */
  unreadable?: boolean
}

export type ImportRecords<Place> = AsyncIterable<ImportRecord<Place>> | Iterable<ImportRecord<Place>>

export interface ImportOptions<Place = undefined> {
  /** What to do with a template whose id exists: a problem, leave the existing one, or replace it. */
  existing?: 'refuse' | 'keep' | 'replace'
  /** Refuse the import at the first problem, leave out what has problems, or refuse it after the last problem. */
  onProblem?: 'stop' | 'skip' | 'report'
  /** Find all problems and write nothing. */
  dryRun?: boolean
  /** Further checks; fields that cannot be stored are absent. A template is imported despite warnings. */
  validate?: (template: Partial<NewTemplate>) => { problems: Problem[]; warnings: Problem[] }
  /** Who imports; written into the revisions. */
  author?: Author
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
  /** The template is imported nevertheless. */
  warning: boolean
}

export interface ImportResult<Place = undefined> {
  /** false: a dry run, or the import was refused and nothing was written. */
  written: boolean
  /** Records read. */
  read: number
  /** Templates that were written, or would be if nothing were refused. */
  inserted: number
  replaced: number
  /** Templates that existed with the same values. */
  unchanged: number
  /** Templates that were left as they are. */
  kept: number
  /** Records with problems. */
  refused: number
  /** Records with warnings. */
  warned: number
  /** With `withIds`: the ids of the records, in their order. */
  ids: number[]
  /** The first {@link maxProblems} problems and warnings. */
  problems: ImportProblem<Place>[]
}

/** Problems that a result lists. */
const maxProblems = 1000

/** The result of an import so far, and whether its problems stop it. */
export class ImportReport<Place = undefined> {
  readonly options: ImportOptions<Place>
  /** The highest id of this import; -1: none yet. */
  highestId = -1
  readonly result: ImportResult<Place> = {
    written: false,
    ...{ read: 0, inserted: 0, replaced: 0, unchanged: 0, kept: 0, refused: 0, warned: 0 },
    ids: [],
    problems: []
  }
  readonly #ids = new Set<number>()
  #unreadable = false

  constructor(options: ImportOptions<Place>) {
    this.options = options
  }

  /** Whether nothing may be written any more. */
  get refused(): boolean {
    return this.#unreadable || (this.options.onProblem !== 'skip' && this.result.refused > 0)
  }

  /** Whether to read no further. */
  get stopped(): boolean {
    return this.#unreadable || (this.refused && (this.options.onProblem ?? 'stop') === 'stop')
  }

  /** Returns whether no other template of the import has the id; refuses the record if one has. */
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

  /** Reports the problems of a record. */
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
      if (this.result.problems.length < maxProblems) this.result.problems.push(problem)
      this.options.report?.(problem)
    }
  }
}

/** Where a record comes from, and what it expects. */
export interface Source<Place> {
  place: Place
  index: number
  expectedRevision: number | undefined
}
