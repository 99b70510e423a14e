import { printDocument } from './print.ts'

/** What the `graphql` package, gql.tada and graphql-codegen parse documents to. */
export interface DocumentNode {
  readonly kind: 'Document'
  readonly definitions: readonly unknown[]
}

/** What graphql-codegen makes with `documentMode: 'string'`. */
export interface StringObject {
  readonly length: number
  trim(): string
}

/**
 * A document that carries the types of its result and its variables, as gql.tada and graphql-codegen make them: a
 * parsed document, or a string object (`documentMode: 'string'`).
 */
// biome-ignore lint/suspicious/noExplicitAny: the default of TypedDocumentNode
export type TypedDocument<Result = any, Variables = any> = (DocumentNode | StringObject) & {
  /** Exists only as a type. */
  __apiType?: (variables: Variables) => Result
}

export type ResultOf<Document> = Document extends TypedDocument<infer Result, never> ? Result : never

/** What the client needs to know of a document. */
export interface Operation {
  query: string
  isMutation: boolean
  /** Whether the service keeps the result by the Idempotency-Key, so that sending it again changes nothing. */
  isRepeatable: boolean
}

const known = new WeakMap<object, Operation>()

export function readOperation(document: string | TypedDocument): Operation {
  if (typeof document === 'string') return analyze(document)
  const found = known.get(document) ?? analyze(toText(document))
  known.set(document, found)
  return found
}

export const toText = (document: string | TypedDocument): string =>
  isNode(document) ? printDocument(document) : String(document)

const isNode = (document: string | TypedDocument): document is DocumentNode =>
  (document as { kind?: unknown }).kind === 'Document'

function analyze(query: string): Operation {
  const code = query.replace(/"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\])*"|#.*/g, '')
  let [outside, inner] = [code, '']
  do {
    inner = outside
    outside = inner.replace(/\{[^{}]*\}/g, ' ')
  } while (outside !== inner)
  const isMutation = /(?<![$\w])mutation\b/.test(outside)
  return { query, isMutation, isRepeatable: !isMutation || !/\b(update|delete|restore)Product\b/.test(code) }
}
