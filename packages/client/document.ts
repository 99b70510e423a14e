import { printDocument } from './print.ts'

/** A parsed document of `graphql`, gql.tada or graphql-codegen. */
export interface DocumentNode {
  readonly kind: 'Document'
  readonly definitions: readonly unknown[]
}

/** A document of graphql-codegen with `documentMode: 'string'`. */
interface StringObject {
  readonly length: number
  trim(): string
}

/**
 * A document with the types of its result and its variables, as gql.tada and graphql-codegen create it: a parsed
 * document, or a string object (`documentMode: 'string'`).
 */
// biome-ignore lint/suspicious/noExplicitAny: the default of TypedDocumentNode
export type TypedDocument<Result = any, Variables = any> = (DocumentNode | StringObject) & {
  /** Exists only as a type. */
  __apiType?: (variables: Variables) => Result
}

export type ResultOf<Document> = Document extends TypedDocument<infer Result, never> ? Result : never

/** A document as the client needs it. */
export interface Operation {
  query: string
  isMutation: boolean
  /** Whether it is safe to send again: a query, or mutations that the service executes only once. */
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

/** Mutations that an Idempotency-Key protects from being executed twice. */
const repeatable = new Set(['createProduct', 'importProducts'])

function analyze(query: string): Operation {
  const code = query.replace(/"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\])*"|#[^\n\r]*/g, '')
  const definitions = [...outline(code).matchAll(/([^{}]*)\{([^{}]*)\}/g)]
  const mutations = definitions.filter(([, head = '']) => !/^[\s,]*(query\b|fragment\b|$)/.test(head))
  const fields = mutations.flatMap(([, , body = '']) => listFields(body))
  return { query, isMutation: mutations.length > 0, isRepeatable: fields.every(name => repeatable.has(name)) }
}

/** Reduces a document to its operations and fragments with only their top-level fields, without arguments. */
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

/** Lists the fields without aliases and directives. Any fragment is listed as `...`. */
const listFields = (body: string): string[] =>
  body.replace(/\w+[\s,]*:|@[\s,]*\w+/g, '').match(/\.{3}|\w+/g) ?? []
