import { base64url } from '../packages/client/random.ts'
import { readField } from './requests.ts'

/** A revision of a template. */
export interface RevisionKey {
  id: number
  number: number
}

/** The page may know the format of a `nodeId`, because it is always of the same version as the service. */
const toNodeId = ({ id, number }: RevisionKey): string =>
  base64url(new TextEncoder().encode(JSON.stringify(['ProductRevision', id, number])))

/** Reads fields of at most 100 revisions, in their order; null for those that the user does not see. */
export async function readRevisionsByKey<Fields>(
  keys: RevisionKey[],
  fields: string,
  stop?: AbortSignal
): Promise<(Fields | null)[]> {
  if (keys.length === 0) return []
  const query = `query Revisions($ids: [ID!]!) { nodes(nodeIds: $ids) { ... on ProductRevision { ${fields} } } }`
  return readField(query, { ids: keys.map(toNodeId) }, stop)
}
