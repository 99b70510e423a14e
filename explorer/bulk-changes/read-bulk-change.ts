import type { ProductRevision, BulkChange as StoredBulkChange } from '../../packages/client/schema.ts'
import { pageInfo } from '../admin/use-pages.ts'
import { upperFirst } from '../edit/plain-words.ts'
import { formatCount, plural } from '../format.ts'
import { readRevisions } from '../revisions.ts'

type Undo = Pick<StoredBulkChange, 'author' | 'time' | 'count' | 'undone'>

/** A write of many templates. */
export interface BulkChange extends Omit<StoredBulkChange, 'revisions' | 'undoneBy'> {
  undoneBy: (Undo & { undoneBy: Pick<Undo, 'undone'> | null }) | null
}

const undo = 'author { name clientName } time count undone'
export const bulkChangeFields = `id action message created deleted ${undo}
  undoneBy { ${undo} undoneBy { undone } }`

/** A revision that a bulk change wrote. */
export interface WrittenRevision extends Pick<ProductRevision, 'templateId' | 'number' | 'isLatest'> {
  /** null if the revision is a deletion. */
  contents: Contents | null
}

interface Contents {
  name: string
  document: { image: string | null } | null
}

const contents = 'contents { name document { image } }'

export const revisionsQuery = `query Written($id: ID!, $first: Int, $after: String) { bulkChange(id: $id) {
  revisions(first: $first, after: $after) { nodes { templateId number isLatest ${contents} } ${pageInfo} } } }`

/** Returns `Created 100, changed 20 templates`. An import and a restoration may do several things. */
export function describeBulkChange({ action, count, created, deleted }: BulkChange): string {
  const isRestored = action === 'RESTORE'
  const parts: [number, string][] = [
    [isRestored ? count - deleted : created, isRestored ? 'restored' : 'created'],
    [isRestored ? 0 : count - created - deleted, 'changed'],
    [deleted, 'deleted']
  ]
  const done = parts.filter(([templates]) => templates > 0)
  const texts = done.map(([templates, verb], at) =>
    at < done.length - 1 ? `${verb} ${formatCount(templates)}` : `${verb} ${plural(templates, 'template')}`
  )
  return upperFirst(texts.join(', '))
}

/** Reads what templates were before their deletion, by template. */
export async function readDeletedContents(
  deletions: WrittenRevision[],
  stop: AbortSignal
): Promise<Map<number, Contents>> {
  const keys = deletions.map(({ templateId, number }) => ({ id: templateId, number: number - 1 }))
  const found = await readRevisions<{ contents: Contents | null }>(keys, contents, stop)
  return new Map(
    deletions.flatMap(({ templateId }, at): [number, Contents][] => {
      const former = found[at]?.contents
      return former ? [[templateId, former]] : []
    })
  )
}
