import type { ProductRevision } from '../../packages/client/schema.ts'
import { describeFailure, mayPublish } from '../api.ts'
import { type Restoration, restoreMany } from '../bulk/write.ts'
import { read } from '../requests.ts'

/** The result of an undo. */
export interface Undone {
  /** Number of templates that have their former state again. */
  restored: number
  /** Templates that somebody has changed or deleted since. */
  changed: number[]
  /** New templates, which the user may not delete. */
  undeletable: number[]
  /** Why other templates were left alone. */
  problems: string[]
}

type Written = Pick<ProductRevision, 'templateId' | 'number' | 'isLatest'>

interface Page {
  operation: {
    revisions: { nodes: Written[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } }
  } | null
}

const query = `query Undoable($id: ID!, $after: String) { operation(id: $id) {
  revisions(first: 1000, after: $after) { nodes { templateId number isLatest } pageInfo { hasNextPage endCursor } } } }`

/** Templates per request. Each request is a transaction, in which other writers may have to wait. */
const batchSize = 500

/**
 * Gives each template its state before an operation, unless somebody has changed it since. This is an operation itself, so it
 * can be undone.
 */
export async function undoOperation(
  id: string,
  message: string,
  onProgress: (done: number, total: number) => void
): Promise<Undone> {
  const { restorations, changed } = plan(await readAll(id))
  const isAllowed = ({ revision }: Restoration) => revision > 0 || mayPublish()
  const undone: Undone = {
    ...{ restored: 0, changed, problems: [] },
    undeletable: restorations.filter(each => !isAllowed(each)).map(({ id }) => id)
  }
  const allowed = restorations.filter(isAllowed)
  const options = { message, operation: crypto.randomUUID() as string }
  for (let start = 0; start < allowed.length && undone.problems.length === 0; start += batchSize) {
    onProgress(start, allowed.length)
    await restoreBatch(allowed.slice(start, start + batchSize), options, undone)
  }
  return undone
}

async function readAll(id: string): Promise<Written[]> {
  const written: Written[] = []
  let after: string | null = null
  do {
    const { operation }: Page = await read<Page>(query, { id, after })
    written.push(...(operation?.revisions.nodes ?? []))
    after = operation?.revisions.pageInfo.hasNextPage ? operation.revisions.pageInfo.endCursor : null
  } while (after !== null)
  return written
}

/** Decides what to restore. An operation may have written a template more than once, if it was sent in several requests. */
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

/** Restores a batch. The service writes all or none, so templates that it refuses are left out, and the others sent again. */
async function restoreBatch(
  batch: Restoration[],
  options: { message: string; operation: string },
  undone: Undone
): Promise<void> {
  for (let left = batch; left.length > 0; ) {
    const { written, errors } = await restoreMany(left, options).catch(error => {
      const text = describeFailure(error)
      return { written: [], errors: [{ id: null, code: '', message: text }] }
    })
    undone.restored += written.length
    if (errors.length === 0) return
    const refused = new Set(errors.map(({ id }) => id))
    for (const { id, code, message } of errors) {
      if (id === null) undone.problems.push(message)
      else if (code === 'CONFLICT') undone.changed.push(id)
      else undone.problems.push(`Template ${id}: ${message}.`)
    }
    if (refused.has(null)) return
    left = left.filter(({ id }) => !refused.has(id))
  }
}
