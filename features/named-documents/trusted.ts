import { hash } from 'node:crypto'
import type { GraphQLError } from 'graphql'
import { visit } from 'jsonc-parser'
import { makeError, toRefusedResult } from '../../graphql/errors.ts'
import type { Result } from '../../graphql/result.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { badRequest } from '../../runtime/errors.ts'
import { yieldToEventLoop } from '../../runtime/event-loop.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import { isObject } from '../../runtime/json-values.ts'
import { readJson } from '../json-setting.ts'
import type { DocumentSettings } from './index.ts'

/** Parses and validates a document, as if it were sent. */
type CheckDocument = (text: string) => Promise<void>

/** Texts of operations that requests name by an identifier. */
export interface TrustedDocuments {
  byId: ReadonlyMap<string, string>
  /** Whether all other documents are refused. */
  refusesOthers: boolean
}

/** Returns the document of an identifier. The codes are those of Apollo's clients and router. Throws 400. */
export function findTrusted(
  { byId }: TrustedDocuments,
  documentId: unknown,
  query: string | null | undefined
): string | GraphQLError {
  if (typeof documentId !== 'string') throw badRequest('documentId must be a string or null')
  if (query != null) throw badRequest('documentId and query exclude each other: send one of them')
  const text = byId.get(documentId)
  return text ?? makeError('there is no document with this documentId', 'PERSISTED_QUERY_NOT_FOUND')
}

/** Returns the document of a request that names none, or an error if only trusted ones are allowed. Throws 400. */
export function requireTrusted({ refusesOthers }: TrustedDocuments, query: string | null | undefined) {
  if (refusesOthers)
    return makeError('only documents by their documentId are allowed', 'PERSISTED_QUERY_ID_REQUIRED')
  if (query == null) throw badRequest('query or documentId must be a string')
  return query
}

/** Reads the trusted documents; undefined if there are none. Rejects with StartError if they are wrong. */
export async function readTrustedDocuments(
  { graphqlDocuments: given, graphqlDocumentsOnly: refusesOthers }: ServiceSettings & DocumentSettings,
  check: CheckDocument
): Promise<TrustedDocuments | undefined> {
  if (given === undefined) return undefined
  const setting = { name: 'GRAPHQL_DOCUMENTS', code: 'PTS_BAD_DOCUMENTS' } as const
  const byId = await readJson(setting, given, (manifest, json) => readManifest(manifest, json, check))
  return { byId, refusesOthers }
}

/**
 * Reads a manifest: `{ id: text }` of Relay and graphql-codegen, or Apollo's persisted query manifest. Each document
 * also has its SHA-256 as an identifier. Throws an ArgumentError that names the document.
 */
async function readManifest(
  manifest: unknown,
  json: string,
  check: CheckDocument
): Promise<ReadonlyMap<string, string>> {
  const byId = new Map<string, string>()
  for (const [id, text] of listDocuments(manifest, json)) {
    const fail = (message: string) => new ArgumentError(`document ${JSON.stringify(id)}: ${message}`)
    if (typeof text !== 'string') throw fail('it must be a string')
    const sha256 = `sha256:${hash('sha256', text)}`
    // GraphQL over HTTP, "SHA256 Hex Document Identifier".
    if (id.startsWith('sha256:') && id !== sha256) throw fail('the identifier is not its SHA-256')
    // A manifest may have many documents.
    await yieldToEventLoop()
    const { errors }: Result = await check(text).then(() => ({}), toRefusedResult)
    if (errors?.[0]) throw fail(errors[0].message)
    byId.set(id, text).set(sha256, text)
  }
  return byId
}

/** Texts of documents by their identifiers. */
type Documents = Map<string, unknown>

/** Throws ArgumentError for a manifest of another form, or if two documents have the same identifier. */
function listDocuments(manifest: unknown, json: string): Documents {
  if (!isObject(manifest)) throw new ArgumentError('it must be an object')
  const { format, version, operations } = manifest
  if (!Array.isArray(operations)) {
    checkNames(json)
    return new Map(Object.entries(manifest))
  }
  if (format !== 'apollo-persisted-query-manifest' || version !== 1)
    throw new ArgumentError('format must be apollo-persisted-query-manifest and version 1')
  const documents: Documents = new Map()
  for (const [index, operation] of operations.entries()) {
    const { id, body } = Object(operation) as Record<string, unknown>
    if (typeof id !== 'string') throw new ArgumentError(`operation ${index + 1}: id must be a string`)
    checkUnique(documents, id)
    documents.set(id, body)
  }
  return documents
}

const checkUnique = (known: { has(id: string): boolean }, id: string): void => {
  if (known.has(id)) throw new ArgumentError(`two documents have the same id ${JSON.stringify(id)}`)
}

/** Throws ArgumentError for a repeated name, of which JSON.parse would keep only the last. */
function checkNames(json: string): void {
  const known = new Set<string>()
  visit(json, {
    onObjectProperty(name, _offset, _length, _line, _character, path) {
      if (path().length > 0) return
      checkUnique(known, name)
      known.add(name)
    }
  })
}
