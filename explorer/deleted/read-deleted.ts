import type { RevisionAuthor } from '../../packages/client/schema.ts'
import { readField } from '../requests.ts'
import { readRevisionsByKey } from '../revisions.ts'

/** A deleted template, with the author and the time of its deletion. */
export interface Deleted {
  id: number
  /** The last revision before the deletion. */
  last: number
  name: string
  image: string | undefined
  author: RevisionAuthor | null
  message: string | null
  time: string
}

interface Deletion {
  id: number
  revision: number
}

/**
 * Where to continue: deletions that are not shown yet, then the feed of changes from position `end` back to its
 * beginning.
 */
export interface ReadPosition {
  found: Deletion[]
  end: number
  /** Templates whose last change has been read. */
  seen: ReadonlySet<number>
}

/** The service's maximum page size for changes. */
const changesPageSize = 1000
/** Templates per page. */
const pageSize = 20
/** Requests before the page asks the user whether to look further back. */
const maxRequests = 10

/**
 * Finds deleted templates, the latest first. The API has no list of them, so this reads the feed of changes backwards:
 * a template is deleted if its last change is a deletion. Stops after some templates or requests; `next` continues from
 * there.
 */
export async function readDeleted(
  from: ReadPosition | undefined,
  stop: AbortSignal
): Promise<{ items: Deleted[]; next: ReadPosition | undefined }> {
  let end = from?.end ?? (await readLatestPosition(stop))
  const seen = new Set(from?.seen)
  const found = [...(from?.found ?? [])]
  for (let request = 0; request < maxRequests && end > 0 && found.length < pageSize; request++) {
    const start = Math.max(0, end - changesPageSize)
    for (const { id, revision, action } of (await readChanges(start, end, stop)).reverse()) {
      if (action === 'DELETE' && !seen.has(id)) found.push({ id, revision })
      seen.add(id)
    }
    end = start
  }
  const rest = { found: found.slice(pageSize), end, seen }
  const isEnd = end === 0 && rest.found.length === 0
  return {
    items: await readNames(found.slice(0, pageSize), stop),
    next: isEnd ? undefined : rest
  }
}

interface Feed {
  nodes: (Deletion & { action: string })[]
  latestCursor: string
}

/**
 * Makes the cursor of a position. Positions start at 1 and have no gaps. The page may know the cursor format, because
 * it is always of the same version as the service.
 */
const toChangesCursor = (position: number): string =>
  btoa(`changes:1:${position}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

async function readLatestPosition(stop: AbortSignal): Promise<number> {
  const { latestCursor } = await readField<Feed>('{ changes(first: 1) { latestCursor } }', {}, stop)
  const [, position] = atob(latestCursor.replaceAll('-', '+').replaceAll('_', '/')).split(/:(?=\d+$)/)
  return Number(position)
}

const readChanges = async (start: number, end: number, stop: AbortSignal) => {
  const { nodes } = await readField<Feed>(
    `query Changes($after: String, $first: Int) {
      changes(after: $after, first: $first) { nodes { id: templateId revision action } } }`,
    { after: toChangesCursor(start), first: end - start },
    stop
  )
  return nodes
}

interface Revision extends Pick<Deleted, 'author' | 'message' | 'time'> {
  isLatest: boolean
  contents: { name: string; document: { image: string | null } | null } | null
}

/**
 * Reads the names of deleted templates and the authors of the deletions. Leaves out templates that have been restored
 * meanwhile.
 */
async function readNames(deletions: Deletion[], stop: AbortSignal): Promise<Deleted[]> {
  const keys = deletions.flatMap(({ id, revision }) => [
    { id, number: revision },
    { id, number: revision - 1 }
  ])
  const fields = 'isLatest author { name clientName } message time contents { name document { image } }'
  const revisions = await readRevisionsByKey<Revision>(keys, fields, stop)
  return deletions.flatMap(({ id, revision }, at) => {
    const [deletion, last] = revisions.slice(2 * at)
    if (!deletion?.isLatest || !last?.contents) return []
    const { author, message, time } = deletion
    const { name, document } = last.contents
    return [{ id, last: revision - 1, name, image: document?.image ?? undefined, author, message, time }]
  })
}
