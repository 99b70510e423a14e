/** Changes, deletes and restores many templates, each in one transaction: all or, if there is a problem, none. */
import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db, Transaction } from '../../schema.ts'
import { transactOrUndo } from '../../transaction.ts'
import { type FilterInput, toFilter } from '../filter/input.ts'
import { toTest } from '../filter/plan.ts'
import { lockIds } from '../index/entries.ts'
import { takeTurn } from '../meter.ts'
import type { TemplateValues } from '../table/columns.ts'
import { editTraits, type TraitEdits } from '../table/edit-traits.ts'
import type { PinnedTemplate } from '../table/product-templates.ts'
import { makeProblem } from '../validation/problem.ts'
import type { Problem, ValidationOptions } from '../validation/validate.ts'
import {
  type Decision,
  decideChange,
  decideDeletion,
  notFound,
  refuse,
  type WriteProblem,
  type Written,
  writeDecisions
} from './decisions.ts'
import { type Restoration, restoreRevisions } from './restore.ts'
import { type Author, type Existing, lockTemplates, nobody } from './rights.ts'

/** Problems after which a call gives up, and warnings that it returns. */
const maxProblems = 100
/** Templates written per statement where that is possible; bounds the time that the event loop is held on SQLite. */
const batchSize = 25

/** The result of a write of many templates. If there are problems, nothing was written. */
export interface WriteManyResult {
  /** Number of chosen templates. */
  count: number
  /** The new revisions. A template that has not changed has none. */
  written: { id: number; revision: number }[]
  problems: (WriteProblem & { id?: number })[]
  warnings: (Problem & { id: number })[]
}

/** Makes the result of a write that was refused. */
export const refuseMany = (problems: WriteManyResult['problems']): WriteManyResult => ({
  count: 0,
  written: [],
  problems,
  warnings: []
})

interface ManyOptions {
  author?: Author
  /** Write only if this is the number of templates. */
  expectedCount?: number | undefined
  /** If it aborts before `onReady` is called, nothing is written. */
  signal?: AbortSignal | undefined
  /** Called just before the commit. */
  onReady?: (() => void) | undefined
}

/** The result for one template. */
type Outcome = { id: number } & Omit<Written, 'product'>

/** The templates to write. */
export interface Chosen {
  ids: number[]
  /** Leaves out templates that do not match any more when they are locked. */
  where?: FilterInput | null | undefined
}

/** Changes templates. A template that stays the same gets no revision. */
export function updateTemplates(
  db: Db,
  chosen: Chosen,
  { values, traits }: { values: Partial<TemplateValues>; traits: TraitEdits },
  { rules = {}, author = nobody, ...options }: ManyOptions & { rules?: ValidationOptions } = {}
): Promise<WriteManyResult> {
  const hasTraits = traits.set.length + traits.remove.length > 0
  const decide = (before: PinnedTemplate): Decision => {
    if (!hasTraits) return decideChange(before, values, rules)
    const { data: given = before.data, ...others } = values
    const data = editTraits(given, traits)
    if (data === undefined)
      return { result: refuse(makeProblem('WRONG_TYPE', 'the document has no list of traits', 'data')) }
    // Unchanged data is not checked again.
    return decideChange(before, data === before.data ? others : { ...others, data }, rules)
  }
  return writeChosen(db, chosen, { author, ...options }, async (transaction, locked) => {
    const decisions: Decision[] = []
    for (const before of locked) {
      decisions.push(decide(before))
      await takeTurn()
    }
    return addIds(locked, await writeDecisions(transaction, decisions, 'UPDATE', author))
  })
}

/** Deletes templates. Their revisions stay. */
export const deleteTemplates = (
  db: Db,
  chosen: Chosen,
  { author = nobody, ...options }: ManyOptions = {}
): Promise<WriteManyResult> =>
  writeChosen(db, chosen, { author, ...options }, async (transaction, locked) =>
    addIds(locked, await writeDecisions(transaction, locked.map(decideDeletion), 'DELETE', author))
  )

/** Gives different templates the fields of their revisions. With `expectedRevision`, this undoes an earlier write. */
export const restoreTemplates = (
  db: Db,
  wanted: Restoration[],
  { author = nobody, ...options }: ManyOptions = {}
): Promise<WriteManyResult> =>
  writeAll(db, wanted, { author, ...options }, async (transaction, batch, existing) =>
    addIds(batch, await restoreRevisions(transaction, batch, existing, author))
  )

/** Adds the ids of templates to the results of a write, which have the same order. */
const addIds = (templates: { id: number }[], results: Written[]): Outcome[] =>
  results.map((result, index) => ({ ...result, id: templates[index]?.id as number }))

/** Writes those of the chosen templates that the author may see and that match. */
function writeChosen(
  db: Db,
  { ids, where }: Chosen,
  options: ManyOptions,
  apply: (transaction: Transaction, locked: PinnedTemplate[]) => Promise<Outcome[]>
): Promise<WriteManyResult> {
  const test = where ? toTest(db, toFilter(where)) : undefined
  const all = Array.from(new Set(ids), id => ({ id }))
  return writeAll(db, all, options, async (transaction, batch, { templates }) => {
    const wanted = idsOf(batch)
    if (!test) {
      const found = new Set(idsOf(templates))
      const missing = wanted.filter(id => !found.has(id)).map(id => ({ id, ...notFound() }))
      return missing.length > 0 ? missing : apply(transaction, templates)
    }
    // After the lock, because somebody may have changed the templates since they were found.
    const isOne = engineOf(transaction).syntax.isOneOf(sql.ref('product_template.id'), wanted)
    const { rows } = await sql<{ id: number }>`
      select id from product_template where ${isOne} and ${test}`.execute(transaction)
    const matching = new Set(idsOf(rows))
    const chosen = templates.filter(({ id }) => matching.has(id))
    return apply(transaction, chosen)
  })
}

/**
 * Writes templates in the order of their ids, so that two such calls do not deadlock. `apply` writes a batch, of which
 * `existing` are the templates that are stored.
 */
async function writeAll<Each extends { id: number }>(
  db: Db,
  given: Each[],
  { author = nobody, expectedCount, signal, onReady }: ManyOptions,
  apply: (transaction: Transaction, batch: Each[], existing: Existing) => Promise<Outcome[]>
): Promise<WriteManyResult> {
  const all = given.toSorted((one, other) => one.id - other.id)
  const job = async (transaction: Transaction) => {
    const result: WriteManyResult = { count: 0, written: [], problems: [], warnings: [] }
    // Before the first write, which may wait for a transaction that adds the same trait: that one must not wait for these.
    await lockIds(transaction, idsOf(all))
    for (let start = 0; start < all.length && result.problems.length < maxProblems; start += batchSize) {
      const batch = all.slice(start, start + batchSize)
      // Locks the batch again as it reads it, because a template may have got one of the ids since.
      const existing = await lockTemplates(transaction, idsOf(batch), author)
      for (const outcome of await apply(transaction, batch, existing)) add(result, outcome)
      await takeTurn()
      signal?.throwIfAborted()
    }
    const { count, problems } = result
    if (problems.length === 0 && (expectedCount ?? count) !== count)
      problems.push(makeProblem('UNEXPECTED_COUNT', `there are ${count} templates`, 'expectedCount'))
    if (problems.length > 0) return refuseMany(problems)
    onReady?.()
    return result
  }
  return transactOrUndo(db, job, ({ problems }) => problems.length > 0)
}

const idsOf = (templates: { id: number }[]): number[] => templates.map(({ id }) => id)

function add(result: WriteManyResult, { id, revision, problems, warnings }: Outcome): void {
  result.count++
  if (revision !== null) result.written.push({ id, revision })
  result.problems.push(...problems.map(problem => ({ ...problem, id })))
  const room = Math.max(0, maxProblems - result.warnings.length)
  result.warnings.push(...warnings.slice(0, room).map(warning => ({ ...warning, id })))
}
