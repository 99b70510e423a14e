import { editableFields, type TemplateValues } from '../../domain/columns.ts'
import type {
  ProductDocument,
  ProductRevision,
  ProductTemplate,
  Trait
} from '../../packages/client/schema.ts'
import { readField } from '../requests.ts'
import { pageInfo } from '../ui/use-pages.ts'
import type { Page } from '../ui/use-read.ts'

export type { Trait }

/** The contents of a template or of a revision. */
export interface Contents extends TemplateValues {
  hash: string
}

export interface FullTemplate extends Omit<ProductTemplate, 'nodeId' | 'revisions' | 'document'> {
  document: Omit<ProductDocument, 'productId' | 'component'> | null
}

export type Revision = Omit<ProductRevision, 'product' | 'subject' | 'clientId' | 'hash'>

const contents = `${editableFields.join(' ')} hash`
const fullFields = `id ${contents} timeCreated timeModified revision
  document { description externalUrl image name attributes { traitType value valueType text } }`

export const readTemplate = (id: number, signal?: AbortSignal) =>
  readField<FullTemplate | null>(
    `query Template($id: Int!) { product(id: $id) { ${fullFields} } }`,
    { id },
    signal
  )

const readFields = <Fields>(fields: string, id: number, number: number, signal?: AbortSignal) =>
  readField<Fields | null>(
    `query Revision($id: Int!, $number: Int!) { productRevision(id: $id, number: $number) { ${fields} } }`,
    { id, number },
    signal
  )

export const readContents = async (
  ...revision: [id: number, number: number, signal?: AbortSignal]
): Promise<Contents | null> => {
  const found = await readFields<{ contents: Contents | null }>(`contents { ${contents} }`, ...revision)
  return found?.contents ?? null
}

/** Reads who wrote a revision, when and why. */
export const readRevision = (...revision: [id: number, number: number, signal?: AbortSignal]) =>
  readFields<Pick<Revision, 'author' | 'message' | 'time'>>(
    'author { name clientName } message time',
    ...revision
  )

/** Reads revisions, newest first, also of a deleted template. */
export const readRevisions = (id: number, after?: string, signal?: AbortSignal) =>
  readField<Page<Revision>>(
    `query History($id: Int!, $after: String) { productRevisions(id: $id, first: 50, after: $after) {
      nodes { number action author { name clientName } message time } ${pageInfo} } }`,
    { id, after },
    signal
  )
