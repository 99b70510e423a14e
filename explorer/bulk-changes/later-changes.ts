import { rule } from '../api.ts'
import type { Restoration } from '../bulk/write.ts'
import { readField } from '../requests.ts'
import { readRevisionsByKey } from '../revisions.ts'
import { columnNames } from '../template/parts.ts'

/** Restorations of templates that have later revisions, by the state that these have led to. */
interface LaterChanges {
  /** They have the state that the undo would restore. */
  undone: Restoration[]
  /** They have what the bulk change had written. It expects the current revision. */
  returned: Restoration[]
  /** They have another state. */
  changed: Restoration[]
}

/** Two revisions of each template are read at once, and the API returns at most 100. */
const batchSize = 50
/** The state of a template; the hash is that of the document. */
const state = `${columnNames.join(' ')} hash`
const currentQuery = `query Current($first: Int, $where: ProductTemplateFilter) {
  products(first: $first, where: $where) { nodes { id revision ${state} } } }`
const latestQuery = `query Latest($id: Int!) {
  productRevisions(id: $id, first: 1) { nodes { action isLatest } } }`

interface Contents {
  /** null for a deletion. */
  contents: object | null
}

/** Compares current states with those to restore, and with those of the expected revisions. */
export async function readLaterChanges(all: Restoration[], stop?: AbortSignal): Promise<LaterChanges> {
  const found: LaterChanges = { undone: [], returned: [], changed: [] }
  for (let start = 0; start < all.length; start += batchSize) {
    const batch = all.slice(start, start + batchSize)
    const current = await readCurrent(batch, stop)
    const keys = batch.flatMap(({ id, revision, expectedRevision }) => [
      { id, number: revision },
      { id, number: expectedRevision }
    ])
    const revisions = await readRevisionsByKey<Contents>(keys, `contents { ${state} }`, stop)
    for (const [at, restoration] of batch.entries()) {
      const { id, revision } = restoration
      const [former, written] = revisions.slice(2 * at)
      const wasMissing = revision === 0 || former?.contents === null
      const now = current.get(id)
      if (now ? now.state === toState(former) : wasMissing && (await isDeleted(id, stop)))
        found.undone.push(restoration)
      else if (now && now.state === toState(written))
        found.returned.push({ ...restoration, expectedRevision: now.revision })
      else found.changed.push(restoration)
    }
  }
  return found
}

const toState = (revision: Contents | null | undefined) => JSON.stringify(revision?.contents)

/** Whether a missing template is deleted. The rule of the user may hide it instead. */
async function isDeleted(id: number, stop?: AbortSignal): Promise<boolean> {
  if (rule.value === null) return true
  const { nodes } = await readField<{ nodes: { action: string; isLatest: boolean }[] }>(
    latestQuery,
    { id },
    stop
  )
  return nodes.some(({ action, isLatest }) => isLatest && action === 'DELETE')
}

/** Reads templates, by their ids. Deleted and hidden ones are missing. */
async function readCurrent(batch: Restoration[], stop?: AbortSignal) {
  const variables = { first: batch.length, where: { id: { in: batch.map(({ id }) => id) } } }
  const { nodes } = await readField<{ nodes: { id: number; revision: number }[] }>(
    currentQuery,
    variables,
    stop
  )
  return new Map(nodes.map(({ id, revision, ...state }) => [id, { revision, state: JSON.stringify(state) }]))
}
