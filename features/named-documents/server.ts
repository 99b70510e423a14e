import { validate } from '../../graphql/mercurius.ts'
import type { DocumentFinder } from '../../routes/graphql/request.ts'
import type { ServerAddition } from '../../routes/server-addition.ts'
import { isPersistedQuery, PersistedQueries } from './persisted-queries.ts'
import { findTrusted, readTrustedDocuments, requireTrusted } from './trusted.ts'

/** Makes the finder of named documents: trusted ones for all, and those that each user has sent before. */
const makeDocumentFinder: ServerAddition['makeDocumentFinder'] = async ({ graphql }, settings) => {
  const check = (text: string) => validate(graphql, text, settings)
  const documents = await readTrustedDocuments(settings, check)
  const queries = new PersistedQueries()
  const find: DocumentFinder['find'] = (request, parameters) => {
    const { query, documentId, extensions } = parameters
    if (documents && documentId != null) return findTrusted(documents, documentId, query)
    if (extensions?.persistedQuery != null)
      return queries.read(request, extensions.persistedQuery, query, documents)
    return documents ? requireTrusted(documents, query) : query
  }
  return { find, isPersonal: isPersistedQuery }
}

export const server: ServerAddition = { makeDocumentFinder }
