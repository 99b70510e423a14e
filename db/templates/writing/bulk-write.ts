/** Bulk writes: each changes, deletes or restores many templates in one transaction: all or, with a problem, none. */
import type { TemplateValues } from '../../../domain/columns.ts'
import { editTraits, type TraitEdits } from '../../../domain/edit-traits.ts'
import { makeProblem, type Problem } from '../../../domain/validation/problem.ts'
import type { ValidationOptions } from '../../../domain/validation/validate.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import type { Db, Transaction } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import { withBulkChange } from '../bulk-changes.ts'
import { type FilterInput, type TemplateFilter, toFilter } from '../filter/filter.ts'
import { matchesFilter } from '../filter/plan.ts'
import type { TemplateWithRevision } from '../product-templates.ts'
import { lockIds } from '../template-index/entries.ts'
import { writeDecisions } from './apply.ts'
import {
  type Decision,
  decideChange,
  decideStored,
  deletion,
  refuse,
  type Write,
  type WriteProblem,
  type WriteResult,
  type WriteTarget
} from './decisions.ts'
import { bulkRestoration, type Restoration } from './restore.ts'
import { type Author, lockTemplates, type StoredTemplates } from './rights.ts'

/** Maximum problems, after which a call gives up, and maximum warnings that it returns. */
const maxProblems = 100
/** Templates written per statement where that is possible; bounds the time that the event loop is held on SQLite. */
const batchSize = 25

/** If there are problems, nothing was written. */
export interface BulkWriteResult {
  /** Number of chosen templates. */
  count: number
  /** The new revisions. A template that has not changed has none. */
  written: { id: number; revision: number }[]
  problems: (WriteProblem & { id?: number })[]
  warnings: (Problem & { id: number })[]
}

/** Makes the result of a bulk write that was refused. */
export const refuseBulkWrite = (problems: BulkWriteResult['problems']): BulkWriteResult => ({
  count: 0,
  written: [],
  problems,
  warnings: []
})

export interface BulkWriteOptions {
  author: Author
  /** Leaves out templates that do not match any more when they are locked. */
  where?: FilterInput | null | undefined
  /** Write only if this is the number of templates. */
  expectedCount?: number | null | undefined
  /** If it aborts before `onReady` is called, nothing is written. */
  signal?: AbortSignal | undefined
  /** Called just before the commit. */
  onReady?: (() => void) | undefined
}

/** Changes templates. A template that stays the same gets no revision. */
export function updateTemplates(
  db: Db,
  ids: number[],
  { values, traits }: { values: Partial<TemplateValues>; traits: TraitEdits },
  { validation = {}, ...options }: BulkWriteOptions & { validation?: ValidationOptions }
): Promise<BulkWriteResult> {
  const hasTraits = traits.set.length + traits.remove.length > 0
  const decide = (before: TemplateWithRevision): Decision => {
    if (!hasTraits) return decideChange(before, values, validation)
    const data = editTraits(values.data ?? before.data, traits)
    if (data === undefined)
      return refuse(makeProblem('WRONG_TYPE', 'the document has no list of traits', 'data'))
    return decideChange(before, { ...values, data }, validation)
  }
  return writeAll(db, toWriteTargets(ids), { action: 'UPDATE', decide: decideStored(decide) }, options)
}

/** Deletes templates. Their revisions stay. */
export const deleteTemplates = (db: Db, ids: number[], options: BulkWriteOptions): Promise<BulkWriteResult> =>
  writeAll(db, toWriteTargets(ids), deletion, options)

/** Gives different templates the fields of their revisions. With `expectedRevision`, this undoes an earlier write. */
export const restoreTemplates = (
  db: Db,
  targets: Restoration[],
  options: BulkWriteOptions
): Promise<BulkWriteResult> => writeAll(db, targets, bulkRestoration, options)

const toWriteTargets = (ids: number[]): WriteTarget[] => Array.from(new Set(ids), id => ({ id }))

/** Writes templates in the order of their ids, so that two such calls do not deadlock. */
async function writeAll<Each extends WriteTarget>(
  db: Db,
  targets: Each[],
  { action, decide }: Write<Each>,
  { where, expectedCount, signal, onReady, ...options }: BulkWriteOptions
): Promise<BulkWriteResult> {
  const author = withBulkChange(options.author)
  const filter = where ? toFilter(where) : undefined
  const all = targets.toSorted((one, other) => one.id - other.id)
  // A wrong number is refused before any work that grows with the templates.
  if ((expectedCount ?? all.length) !== all.length) return refuseBulkWrite([unexpectedCount(all.length)])
  const job = async (transaction: Transaction) => {
    const result: BulkWriteResult = { count: 0, written: [], problems: [], warnings: [] }
    // Lock all templates first. Otherwise this transaction could wait for another one that waits for its templates.
    await lockIds(transaction, idsOf(all))
    for (let start = 0; start < all.length && result.problems.length < maxProblems; start += batchSize) {
      const batch = all.slice(start, start + batchSize)
      // Locks the batch again as it reads it, because a template may have got one of the ids since.
      const stored = await lockTemplates(transaction, idsOf(batch), author)
      // Tests after the lock, because somebody may have changed the templates since they were found.
      const chosen = filter ? await selectMatching(batch, stored, filter) : batch
      const decisions = await decide(chosen, stored, { transaction, author })
      const results = await writeDecisions(transaction, decisions, action, author)
      for (const [index, { id }] of chosen.entries()) add(result, id, results[index] as WriteResult)
      await yieldToEventLoop()
      signal?.throwIfAborted()
    }
    const { count, problems } = result
    if (problems.length === 0 && (expectedCount ?? count) !== count) problems.push(unexpectedCount(count))
    if (problems.length > 0) return refuseBulkWrite(problems)
    onReady?.()
    return result
  }
  const rollBackIf = ({ problems }: BulkWriteResult) => problems.length > 0
  return transact(db, job, { isolation: 'read committed', rollBackIf })
}

const unexpectedCount = (count: number) =>
  makeProblem('UNEXPECTED_COUNT', `the number of templates is ${count}`, 'expectedCount')

/** Returns the targets whose stored templates match. The index may not have the latest changes by plain SQL. */
async function selectMatching<Each extends WriteTarget>(
  targets: Each[],
  { templates }: StoredTemplates,
  filter: TemplateFilter
): Promise<Each[]> {
  const matching: Each[] = []
  for (const target of targets) {
    const template = templates.get(target.id)
    if (template && matchesFilter(filter, template)) matching.push(target)
    await yieldToEventLoop()
  }
  return matching
}

const idsOf = (templates: { id: number }[]): number[] => templates.map(({ id }) => id)

function add(result: BulkWriteResult, id: number, { revision, problems, warnings }: WriteResult): void {
  result.count++
  if (revision !== null) result.written.push({ id, revision })
  result.problems.push(...problems.map(problem => ({ ...problem, id })))
  const room = Math.max(0, maxProblems - result.warnings.length)
  result.warnings.push(...warnings.slice(0, room).map(warning => ({ ...warning, id })))
}
