import type { ProductRevision } from '../../packages/client/schema.ts'
import { mayPublish } from '../api.ts'
import { describeProblem, type Restoration, restorePossible } from '../bulk/write.ts'
import { readField } from '../requests.ts'
import { pageInfo, readPages } from '../ui/use-pages.ts'
import { noPage, type Page } from '../ui/use-read.ts'
import { readLaterChanges } from './later-changes.ts'

/** What an undo would do now. */
export interface UndoPlan {
  /** Restorations of templates that nobody has changed since. */
  restorations: Restoration[]
  /** Restorations of templates whose later changes have been undone. */
  returned: Restoration[]
  /** Number of templates that have their former state already. */
  undone: number
  /** Templates that somebody has changed or deleted since. */
  changed: number[]
  /** Templates that the undo would delete, for which the user has no right. */
  forbidden: number[]
}

/** The result of an undo. */
export interface Undone extends Pick<UndoPlan, 'changed' | 'forbidden'> {
  /** Number of templates that have their former state again. */
  restored: number
  /** Number of templates that were not tried, because the undo ended early. */
  notTried: number
  /** Why other templates were left alone. */
  problems: string[]
}

type NumberedRevision = Pick<ProductRevision, 'templateId' | 'number' | 'isLatest'>

const query = `query Undoable($id: ID!, $after: String) { bulkChange(id: $id) {
  revisions(first: 1000, after: $after) { nodes { templateId number isLatest } ${pageInfo} } } }`

/**
 * Gives each template its state before a bulk change, unless somebody has changed it since. This is a bulk change
 * itself, so it can be undone.
 */
export async function undoBulkChange(
  id: string,
  message: string,
  onProgress: (done: number, total: number) => void
): Promise<Undone> {
  const { restorations, returned, changed, forbidden } = await planUndo(id)
  const total = restorations.length + returned.length
  const undone: Undone = { restored: 0, changed, forbidden, problems: [], notTried: 0 }
  let hasEnded = false
  // Two bulk changes: the service counts only the first as an undo, and neither if they were one.
  for (const group of [restorations, returned]) {
    if (hasEnded) undone.notTried += group.length
    if (hasEnded) continue
    const { restored } = undone
    const options = { message, bulkChange: crypto.randomUUID() as string }
    const { written, errors, notTried } = await restorePossible(group, options, done =>
      onProgress(restored + done, total)
    )
    undone.restored += written.length
    undone.notTried = notTried
    for (const error of errors) addError(undone, error)
    hasEnded = errors.some(({ id }) => id === null)
  }
  return undone
}

function addError(undone: Undone, error: Parameters<typeof describeProblem>[0] & { code: string }): void {
  const { id, code } = error
  if (id === null) undone.problems.unshift(describeProblem(error))
  else if (code === 'CONFLICT') undone.changed.push(id)
  else if (code === 'NO_RIGHT_TO_PUBLISH') undone.forbidden.push(id)
  else undone.problems.push(describeProblem(error))
}

/** Reads the revisions that a bulk change wrote. */
const readAllRevisions = (id: string, stop?: AbortSignal) =>
  readPages<NumberedRevision>(async after => {
    const bulkChange = await readField<{ revisions: Page<NumberedRevision> } | null>(
      query,
      { id, after },
      stop
    )
    return bulkChange?.revisions ?? noPage
  })

/**
 * Decides what to restore. A bulk change may have written a template more than once, if it was sent in several
 * requests.
 */
export async function planUndo(bulkChange: string, stop?: AbortSignal): Promise<UndoPlan> {
  const written = (await Array.fromAsync(readAllRevisions(bulkChange, stop))).flat()
  const [latest, later, interrupted]: [Restoration[], Restoration[], Restoration[]] = [[], [], []]
  for (const [id, revisions] of Map.groupBy(written, ({ templateId }) => templateId)) {
    const sorted = revisions.toSorted((one, other) => one.number - other.number)
    const [first, last] = [sorted[0] as NumberedRevision, sorted.at(-1) as NumberedRevision]
    const isUninterrupted = last.number - first.number === sorted.length - 1
    const list = isUninterrupted ? (last.isLatest ? latest : later) : interrupted
    list.push({ id, revision: first.number - 1, expectedRevision: last.number })
  }
  const { undone, returned, changed } = await readLaterChanges(later, stop)
  const isForbidden = ({ revision }: Restoration) => revision === 0 && !mayPublish()
  const isAllowed = (restoration: Restoration) => !isForbidden(restoration)
  return {
    restorations: latest.filter(isAllowed),
    returned: returned.filter(isAllowed),
    undone: undone.length,
    changed: idsOf([...interrupted, ...changed]),
    forbidden: idsOf([...latest, ...returned].filter(isForbidden))
  }
}

const idsOf = (restorations: Restoration[]): number[] => restorations.map(({ id }) => id)
