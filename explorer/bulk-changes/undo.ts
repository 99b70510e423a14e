import type { ProductRevision } from '../../packages/client/schema.ts'
import { mayPublish } from '../api.ts'
import { type Restoration, restorePossible } from '../bulk/write.ts'
import { read } from '../requests.ts'

/** The result of an undo. */
export interface Undone {
  /** Number of templates that have their former state again. */
  restored: number
  /** Templates that somebody has changed or deleted since. */
  changed: number[]
  /** Templates that the undo would delete or publish, for which the user has no right. */
  forbidden: number[]
  /** Number of templates that were not tried, because the undo ended early. */
  notTried: number
  /** Why other templates were left alone. */
  problems: string[]
}

type Written = Pick<ProductRevision, 'templateId' | 'number' | 'isLatest'>

interface Page {
  bulkChange: {
    revisions: { nodes: Written[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } }
  } | null
}

const query = `query Undoable($id: ID!, $after: String) { bulkChange(id: $id) {
  revisions(first: 1000, after: $after) { nodes { templateId number isLatest } pageInfo { hasNextPage endCursor } } } }`

/** Templates per request. Each request is a transaction, in which other writers may have to wait. */
const batchSize = 500

/**
 * Gives each template its state before a bulk change, unless somebody has changed it since. This is a bulk change
 * itself, so it can be undone.
 */
export async function undoBulkChange(
  id: string,
  message: string,
  onProgress: (done: number, total: number) => void
): Promise<Undone> {
  const { restorations, changed } = plan(await readAll(id))
  const isAllowed = ({ revision }: Restoration) => revision > 0 || mayPublish()
  const undone: Undone = {
    ...{ restored: 0, changed, problems: [], notTried: 0 },
    forbidden: restorations.filter(each => !isAllowed(each)).map(({ id }) => id)
  }
  const allowed = restorations.filter(isAllowed)
  const options = { message, bulkChange: crypto.randomUUID() as string }
  for (let start = 0; start < allowed.length; start += batchSize) {
    onProgress(start, allowed.length)
    if (await restoreBatch(allowed.slice(start, start + batchSize), options, undone)) continue
    undone.notTried = Math.max(0, allowed.length - start - batchSize)
    break
  }
  return undone
}

async function readAll(id: string): Promise<Written[]> {
  const written: Written[] = []
  let after: string | null = null
  do {
    const { bulkChange }: Page = await read<Page>(query, { id, after })
    written.push(...(bulkChange?.revisions.nodes ?? []))
    after = bulkChange?.revisions.pageInfo.hasNextPage ? bulkChange.revisions.pageInfo.endCursor : null
  } while (after !== null)
  return written
}

/**
 * Decides what to restore. A bulk change may have written a template more than once, if it was sent in several
 * requests.
 */
function plan(written: Written[]): { restorations: Restoration[]; changed: number[] } {
  const restorations: Restoration[] = []
  const changed: number[] = []
  for (const [id, revisions] of Map.groupBy(written, ({ templateId }) => templateId)) {
    const sorted = revisions.toSorted((one, other) => one.number - other.number)
    const [first, last] = [sorted[0] as Written, sorted.at(-1) as Written]
    const isUninterrupted = last.number - first.number === sorted.length - 1
    if (!last.isLatest || !isUninterrupted) changed.push(id)
    else restorations.push({ id, revision: first.number - 1, expectedRevision: last.number })
  }
  return { restorations, changed }
}

/** Restores a batch. Returns false if the undo cannot go on. */
async function restoreBatch(
  batch: Restoration[],
  options: { message: string; bulkChange: string },
  undone: Undone
): Promise<boolean> {
  const { written, errors } = await restorePossible(batch, options)
  undone.restored += written.length
  for (const { id, code, message } of errors) {
    if (id === null) undone.problems.unshift(`${message}.`)
    else if (code === 'CONFLICT') undone.changed.push(id)
    else if (code === 'NO_RIGHT_TO_PUBLISH') undone.forbidden.push(id)
    else undone.problems.push(`Template ${id}: ${message}.`)
  }
  return errors.every(({ id }) => id !== null)
}
