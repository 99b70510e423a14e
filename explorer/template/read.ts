import { editableFields, type ProductTemplate, type TemplateValues } from '../../domain/columns.ts'
import type { ProductRevision, TraitValueType } from '../../packages/client/schema.ts'
import { read } from '../requests.ts'

export interface Trait {
  traitType: string
  value: unknown
  valueType: TraitValueType
  text: string
}

/** The contents of a template or of a revision. */
export interface Contents extends TemplateValues {
  hash: string
}

export interface FullTemplate extends ProductTemplate, Contents {
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

const contents = `${editableFields.join(' ')} hash`
const fullFields = `id ${contents} timeCreated timeModified revision
  document { description externalUrl image name attributes { traitType value valueType text } }`

export const readTemplate = async (id: number, signal?: AbortSignal): Promise<FullTemplate | null> =>
  (
    await read<{ product: FullTemplate | null }>(
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
    await read<{ productRevision: { contents: Contents | null } | null }>(
      `query Revision($id: Int!, $number: Int!) { productRevision(id: $id, number: $number) { contents { ${contents} } } }`,
      { id, number: revision },
      signal
    )
  ).productRevision?.contents ?? null

/** Reads who wrote a revision, when and why. */
export const readRevision = async (
  id: number,
  number: number,
  signal: AbortSignal
): Promise<Pick<Revision, 'author' | 'message' | 'time'> | null> =>
  (
    await read<{ productRevision: Pick<Revision, 'author' | 'message' | 'time'> | null }>(
      `query Author($id: Int!, $number: Int!) {
        productRevision(id: $id, number: $number) { author { name clientName } message time } }`,
      { id, number },
      signal
    )
  ).productRevision

interface RevisionPage {
  nodes: Revision[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

/** Reads revisions, newest first, also of a deleted template. */
export const readRevisions = async (id: number, after?: string): Promise<RevisionPage> =>
  (
    await read<{ productRevisions: RevisionPage }>(
      `query History($id: Int!, $after: String) { productRevisions(id: $id, first: 50, after: $after) {
        nodes { number action hash author { name clientName } message time } pageInfo { hasNextPage endCursor } } }`,
      { id, after }
    )
  ).productRevisions
