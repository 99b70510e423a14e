/** Writes many templates in one transaction, batch by batch: all or, if there is a problem, none. */
import type { Db, Transaction } from '../../schema.ts'
import { transactOrUndo } from '../../transaction.ts'
import { lockIds } from '../index/entries.ts'
import { takeTurn } from '../meter.ts'
import { makeProblem } from '../validation/problem.ts'
import type { Problem } from '../validation/validate.ts'
import type { WriteProblem, Written } from './decisions.ts'
import { type Author, lockTemplates, type PinnedTemplate } from './revisions.ts'

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

export interface ManyOptions {
  author?: Author
  /** Write only if this is the number of templates. */
  expectedCount?: number | undefined
  /** If it aborts before `onReady` is called, nothing is written. */
  signal?: AbortSignal | undefined
  /** Called just before the commit. */
  onReady?: (() => void) | undefined
}

/** The result for one template. */
export type Outcome = { id: number } & Omit<Written, 'product'>

/**
 * Writes templates in the given order, which must be that of their ids, so that two such calls do not deadlock. `apply`
 * writes a batch, of which `locked` are the templates that exist.
 */
export async function writeAll<Each extends { id: number }>(
  db: Db,
  all: Each[],
  { expectedCount, signal, onReady }: ManyOptions,
  apply: (transaction: Transaction, batch: Each[], locked: PinnedTemplate[]) => Promise<Outcome[]>
): Promise<WriteManyResult> {
  const job = async (transaction: Transaction) => {
    const result: WriteManyResult = { count: 0, written: [], problems: [], warnings: [] }
    // Before the first write, which may wait for a transaction that adds the same trait: that one must not wait for these.
    await lockIds(transaction, idsOf(all))
    for (let start = 0; start < all.length && result.problems.length < maxProblems; start += batchSize) {
      const batch = all.slice(start, start + batchSize)
      // Locks the batch again as it reads it, because a template may have got one of the ids since.
      const locked = await lockTemplates(transaction, idsOf(batch))
      for (const outcome of await apply(transaction, batch, locked)) add(result, outcome)
      await takeTurn()
      signal?.throwIfAborted()
    }
    const { count, problems } = result
    if (problems.length === 0 && (expectedCount ?? count) !== count) problems.push(unexpected(count))
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

const unexpected = (count: number): WriteProblem =>
  makeProblem('UNEXPECTED_COUNT', `there are ${count} templates`, 'expectedCount')
