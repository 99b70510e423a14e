/** Writes many templates in one transaction: all or, if there is a problem, none. */
import { type Expression, type SqlBool, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import { type FilterInput, toFilter } from '../filter/input.ts'
import { takeTurn } from '../meter.ts'
import { planFilter } from '../plan/plan.ts'
import type { TemplateValues } from '../table/columns.ts'
import { editTraits, type TraitEdits } from '../table/edit-traits.ts'
import { makeProblem } from '../validation/problem.ts'
import type { Problem, ValidationOptions } from '../validation/validate.ts'
import {
  type Change,
  changeTemplates,
  checkChange,
  notFound,
  removeTemplates,
  type WriteProblem,
  type Written
} from './apply.ts'
import { type Restoration, restoreRevisions } from './restore.ts'
import { type Author, lockWholeTemplates, nobody, type PinnedTemplate } from './revisions.ts'

/** Problems after which a call gives up, and warnings that it returns. */
const maxProblems = 100
/** Templates written per statement where that is possible; bounds the time that the event loop is held on SQLite. */
const batchSize = 25

/** Which templates to write: these, or those that match. */
export interface Chosen {
  ids: number[]
  /** Those that do not match any more when they are locked are left out. */
  where?: FilterInput | null | undefined
}

/** A revision of a template. */
export interface RevisionKey {
  id: number
  revision: number
}

/** What a write of many templates has done: nothing if there are problems. */
export interface WrittenMany {
  /** Number of templates that were chosen. */
  count: number
  /** The revisions that were written; a template that has not changed has none. */
  written: RevisionKey[]
  problems: (WriteProblem & { id?: number })[]
  warnings: (Problem & { id: number })[]
}

interface ManyOptions {
  author?: Author
  /** Write only if this is the number of templates. */
  expectedCount?: number | undefined
  /** If it aborts before the last template is written, nothing is written. */
  signal?: AbortSignal | undefined
}

/** Values that all templates get, and traits that each gets or loses. */
export interface ChangeOfMany {
  values: Partial<TemplateValues>
  traits: TraitEdits
}

/** Changes templates. A template that the change leaves as it is gets no revision. */
export function updateTemplates(
  db: Db,
  chosen: Chosen,
  { values, traits }: ChangeOfMany,
  { rules = {}, author = nobody, ...options }: ManyOptions & { rules?: ValidationOptions } = {}
): Promise<WrittenMany> {
  const hasTraits = traits.set.length + traits.remove.length > 0
  const check = (current: PinnedTemplate) => {
    if (!hasTraits) return checkChange(current, values, rules)
    const data = editTraits(values.data ?? current.data, traits)
    // What stays is not checked again.
    if (data === current.data) return checkChange(current, values, rules)
    if (data !== undefined) return checkChange(current, { ...values, data }, rules)
    const problem = makeProblem('WRONG_TYPE', 'the document has no list of traits', 'data')
    return { problems: [problem], warnings: [] }
  }
  return writeChosen(db, chosen, options, async (transaction, locked) => {
    const outcomes: Outcome[] = []
    const changes: Change[] = []
    for (const current of locked) {
      const { changed, ...found } = check(current)
      if (changed) changes.push({ current, changed })
      outcomes.push({ id: current.id, revision: changed ? current.revision + 1 : null, ...found })
      await takeTurn()
    }
    if (outcomes.every(({ problems }) => problems.length === 0))
      await changeTemplates(transaction, changes, 'UPDATE', author)
    return outcomes
  })
}

/** Deletes templates; their revisions stay. */
export const deleteTemplates = (
  db: Db,
  chosen: Chosen,
  { author = nobody, ...options }: ManyOptions = {}
): Promise<WrittenMany> =>
  writeChosen(db, chosen, options, async (transaction, locked) => {
    await removeTemplates(transaction, locked, author)
    return locked.map(({ id, revision }) => ({ id, revision: revision + 1, problems: [], warnings: [] }))
  })

/** Gives different templates the fields of their revisions. With `expectedRevision`, this undoes an earlier write. */
export const restoreTemplates = (
  db: Db,
  wanted: Restoration[],
  { author = nobody, signal }: Pick<ManyOptions, 'author' | 'signal'> = {}
): Promise<WrittenMany> =>
  writeAll(db, wanted.toSorted(byId), { signal }, async (transaction, batch) => {
    const written = await restoreRevisions(transaction, batch, author)
    return written.map((outcome, index) => ({ ...outcome, id: batch[index]?.id as number }))
  })

/** Locks templates, batch by batch, and writes them. */
function writeChosen(
  db: Db,
  { ids, where }: Chosen,
  options: ManyOptions,
  apply: (transaction: Db, locked: PinnedTemplate[]) => Promise<Outcome[]>
): Promise<WrittenMany> {
  const test = where ? planFilter(db, toFilter(where), 1).test : undefined
  const all = Array.from(new Set(ids), id => ({ id })).sort(byId)
  return writeAll(db, all, options, async (transaction, batch) => {
    const wanted = batch.map(({ id }) => id)
    const locked = await lockWholeTemplates(transaction, wanted)
    if (!test) {
      const found = new Set(locked.map(({ id }) => id))
      const missing = wanted.filter(id => !found.has(id)).map(id => ({ id, ...notFound() }))
      return missing.length > 0 ? missing : apply(transaction, locked)
    }
    // Asked after the lock: somebody may have changed them since they were found.
    const matching = await selectMatching(transaction, wanted, test)
    return apply(
      transaction,
      locked.filter(({ id }) => matching.has(id))
    )
  })
}

const byId = (one: { id: number }, other: { id: number }): number => one.id - other.id

async function selectMatching(db: Db, ids: number[], test: Expression<SqlBool>): Promise<Set<number>> {
  const isOne = engineOf(db).syntax.isOneOf(sql.ref('product_template.id'), ids)
  const { rows } = await sql<{
    id: number
  }>`select id from product_template where ${isOne} and ${test}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** What became of a template. */
type Outcome = { id: number } & Omit<Written, 'product'>

/** Writes in the order of the ids, so that two such calls do not wait for each other. */
async function writeAll<Each>(
  db: Db,
  all: Each[],
  { expectedCount, signal }: ManyOptions,
  apply: (transaction: Db, batch: Each[]) => Promise<Outcome[]>
): Promise<WrittenMany> {
  const job = async (transaction: Db) => {
    const result: WrittenMany = { count: 0, written: [], problems: [], warnings: [] }
    for (let start = 0; start < all.length && result.problems.length < maxProblems; start += batchSize) {
      const outcomes = await apply(transaction, all.slice(start, start + batchSize))
      for (const outcome of outcomes) add(result, outcome)
      signal?.throwIfAborted()
      await takeTurn()
    }
    signal?.throwIfAborted()
    const { count, problems } = result
    if (problems.length === 0 && (expectedCount ?? count) !== count) problems.push(unexpected(count))
    if (problems.length > 0) throw new Refused(problems)
    return result
  }
  try {
    return await transact(db, job, 'read committed')
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { count: 0, written: [], problems: error.problems, warnings: [] }
  }
}

function add(result: WrittenMany, { id, revision, problems, warnings }: Outcome): void {
  result.count++
  if (revision !== null) result.written.push({ id, revision })
  result.problems.push(...problems.map(problem => ({ ...problem, id })))
  const room = Math.max(0, maxProblems - result.warnings.length)
  result.warnings.push(...warnings.slice(0, room).map(warning => ({ ...warning, id })))
}

class Refused extends Error {
  readonly problems: WrittenMany['problems']

  constructor(problems: WrittenMany['problems']) {
    super('nothing was written')
    this.problems = problems
  }
}

const unexpected = (count: number): WriteProblem =>
  makeProblem('UNEXPECTED_COUNT', `the templates are ${count}`, 'expectedCount')
