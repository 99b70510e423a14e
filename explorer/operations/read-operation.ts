import type { ProductRevision, Operation as StoredOperation } from '../../packages/client/schema.ts'
import { pageInfo } from '../admin/use-pages.ts'
import { plural } from '../format.ts'
import { readRevisions } from '../revisions.ts'

/** A write of many templates. */
export type Operation = Omit<StoredOperation, 'revisions'>

export const operationFields = 'id action author { name clientName } message time count'

/** A revision that an operation wrote. */
export interface WrittenRevision extends Pick<ProductRevision, 'templateId' | 'number' | 'isLatest'> {
  /** null if the revision is a deletion. */
  contents: Contents | null
}

interface Contents {
  name: string
  document: { image: string | null } | null
}

const contents = 'contents { name document { image } }'

export const revisionsQuery = `query Written($id: ID!, $first: Int, $after: String) { operation(id: $id) {
  revisions(first: $first, after: $after) { nodes { templateId number isLatest ${contents} } ${pageInfo} } } }`

const verbs: Record<Operation['action'], string> = {
  CREATE: 'Created',
  UPDATE: 'Changed',
  DELETE: 'Deleted',
  RESTORE: 'Restored',
  // The table and a file may create templates, change them, or both.
  IMPORT: 'Wrote'
}

/** Returns `Wrote 120 templates`. */
export const describeOperation = ({ action, count }: Operation): string =>
  `${verbs[action]} ${plural(count, 'template')}`

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
