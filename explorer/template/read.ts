import type { ProductRevision, TraitValueType } from '../../client/schema.ts'
import { chosenFields, type ProductTemplate, type TemplateValues } from '../../db/templates/table/columns.ts'
import { read } from '../asking.ts'

export interface Trait {
  traitType: string
  value: unknown
  valueType: TraitValueType
  text: string
}

/** What a template says, now or in a revision. */
export interface Contents extends TemplateValues {
  hash: string
}

export interface Full extends ProductTemplate, Contents {
  revision: number
  document: {
    description: string | null
    externalUrl: string | null
    image: string | null
    name: string | null
    attributes: Trait[]
  } | null
}

export type Revision = Omit<ProductRevision, 'product' | 'subject' | 'clientId'>

const contents = `${chosenFields.join(' ')} hash`
const fullFields = `id ${contents} timeCreated timeModified revision
  document { description externalUrl image name attributes { traitType value valueType text } }`

export const readTemplate = async (id: number, signal?: AbortSignal): Promise<Full | null> =>
  (
    await read<{ product: Full | null }>(
      `query Template($id: Int!) { product(id: $id) { ${fullFields} } }`,
      { id },
      signal
    )
  ).product

export const readContents = async (
  id: number,
  revision: number,
  signal?: AbortSignal
): Promise<Contents | null> =>
  (
    await read<{ product: Contents | null }>(
      `query Revision($id: Int!, $revision: Int) { product(id: $id, revision: $revision) { ${contents} } }`,
      { id, revision },
      signal
    )
  ).product

export interface RevisionPage {
  nodes: Revision[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

/** Reads revisions, newest first. Those of a deleted template hang on its first revision. */
export async function readRevisions(id: number, after?: string, signal?: AbortSignal): Promise<RevisionPage> {
  const query = `query History($id: Int!, $revision: Int, $after: String) { product(id: $id, revision: $revision) {
    revisions(first: 50, after: $after) { nodes { number action hash author { name clientName } message time }
    pageInfo { hasNextPage endCursor } } } }`
  const readAt = (revision?: number) =>
    read<{ product: { revisions: RevisionPage } | null }>(query, { id, after, revision }, signal)
  const { product } = await readAt()
  return (
    (product ?? (await readAt(1)).product)?.revisions ?? {
      nodes: [],
      pageInfo: { hasNextPage: false, endCursor: null }
    }
  )
}
