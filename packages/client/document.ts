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
  /** Whether it can safely be sent again: a query, or mutations that the service executes only once. */
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

/** Mutations of which the service keeps the result by the Idempotency-Key. */
const repeatable = new Set(['createProduct', 'importProducts'])

function analyze(query: string): Operation {
  const code = query.replace(/"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\])*"|#[^\n\r]*/g, '')
  const definitions = [...outline(code).matchAll(/([^{}]*)\{([^{}]*)\}/g)]
  const mutations = definitions.filter(([, head = '']) => !/^[\s,]*(query\b|fragment\b|$)/.test(head))
  const fields = mutations.flatMap(([, , body = '']) => listFields(body))
  return { query, isMutation: mutations.length > 0, isRepeatable: fields.every(name => repeatable.has(name)) }
}

/** Returns the operations and fragments of a document with their top-level fields only, without arguments. */
function outline(code: string): string {
  let [depth, outside, inner] = [0, code, '']
  do {
    inner = outside
    outside = inner.replace(/\([^()]*\)/g, ' ')
  } while (outside !== inner)
  return outside.replace(/[^{}]+|[{}]/g, part => {
    if (part === '}') depth--
    const isShown = part === '{' || part === '}' ? depth === 0 : depth < 2
    if (part === '{') depth++
    return isShown ? part : ' '
  })
}

/** The names of fields, without aliases and directives. What else is selected is named `...`. */
const listFields = (body: string): string[] =>
  body.replace(/\w+[\s,]*:|@[\s,]*\w+/g, '').match(/\.{3}|\w+/g) ?? []
