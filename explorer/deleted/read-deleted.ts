import type { RevisionAuthor } from '../../packages/client/schema.ts'
import { read } from '../asking.ts'

/** A deleted template, and who deleted it. */
export interface Deleted {
  id: number
  /** The last revision with contents. */
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

/** Where to read on: what was found but is not shown yet, then the feed of changes from a position back to its beginning. */
export interface Reading {
  found: Deletion[]
  end: number
  /** Templates whose last change was read. */
  seen: ReadonlySet<number>
}

/** As many changes as the service returns at once. */
const changesAtOnce = 1000
/** Templates that are shown at once, whose names are read in one request. */
const shownAtOnce = 20
/** Requests until the user is asked whether to look further back. */
const patience = 10

/**
 * Finds templates that are deleted, those deleted last first. The API has no list of them, so this reads the feed of changes
 * from its end: the last change of each is a deletion. Stops after some templates or requests; `rest` goes on from there.
 */
export async function readDeleted(
  from: Reading | undefined,
  stop: AbortSignal
): Promise<{ found: Deleted[]; rest: Reading | undefined }> {
  let end = from?.end ?? (await readLatestPosition(stop))
  const seen = new Set(from?.seen)
  const found = [...(from?.found ?? [])]
  for (let request = 0; request < patience && end > 0 && found.length < shownAtOnce; request++) {
    const start = Math.max(0, end - changesAtOnce)
    for (const { id, revision, action } of (await readChanges(start, end, stop)).reverse()) {
      if (action === 'DELETE' && !seen.has(id)) found.push({ id, revision })
      seen.add(id)
    }
    end = start
  }
  const rest = { found: found.slice(shownAtOnce), end, seen }
  const isEnd = end === 0 && rest.found.length === 0
  return {
    found: await readNames(found.slice(0, shownAtOnce), stop),
    rest: isEnd ? undefined : rest
  }
}

interface Feed {
  changes: { nodes: (Deletion & { action: string })[]; latestCursor: string }
}

/** Positions count from 1 without gaps. The page and the service are of one version, so the page knows their cursors. */
export const toChangesCursor = (position: number): string =>
  btoa(`changes:1:${position}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

async function readLatestPosition(stop: AbortSignal): Promise<number> {
  const { changes } = await read<Feed>('{ changes(first: 1) { latestCursor } }', {}, stop)
  const [, position] = atob(changes.latestCursor.replaceAll('-', '+').replaceAll('_', '/')).split(/:(?=\d+$)/)
  return Number(position)
}

const readChanges = async (start: number, end: number, stop: AbortSignal) =>
  (
    await read<Feed>(
      `query Changes($after: String, $first: Int) {
        changes(after: $after, first: $first) { nodes { id: templateId revision action } } }`,
      { after: toChangesCursor(start), first: end - start },
      stop
    )
  ).changes.nodes

interface Last {
  contents: { name: string; document: { image: string | null } | null } | null
}

interface History {
  nodes: (Pick<Deleted, 'author' | 'message' | 'time'> & { action: string })[]
}

/** Reads what they were called, and who deleted them. One that somebody has restored meanwhile is left out. */
async function readNames(deletions: Deletion[], stop: AbortSignal): Promise<Deleted[]> {
  if (deletions.length === 0) return []
  const query = `query Deleted { ${deletions
    .map(
      ({ id, revision }, at) => `l${at}: productRevision(id: ${id}, number: ${revision - 1}) {
        contents { name document { image } } }
      h${at}: productRevisions(id: ${id}, first: 1) {
        nodes { action author { name clientName } message time } }`
    )
    .join('\n')} }`
  const found = await read<Record<string, Last | History | null>>(query, {}, stop)
  return deletions.flatMap(({ id, revision }, at) => {
    const contents = (found[`l${at}`] as Last | null)?.contents
    const deletion = (found[`h${at}`] as History).nodes[0]
    if (!contents || deletion?.action !== 'DELETE') return []
    const { name, document } = contents
    return [{ ...deletion, id, last: revision - 1, name, image: document?.image ?? undefined }]
  })
}
