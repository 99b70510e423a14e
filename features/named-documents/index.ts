import { boolean, json, type Values } from '../../options/setting.ts'
import type { Feature } from '../feature.ts'

const settings = {
  graphqlDocuments: json('object').describe(
    'trusted documents, which clients send by their `documentId`: a manifest of Relay, Apollo or graphql-codegen, as JSON or the path of a JSON file; see docs/documents.md'
  ),
  graphqlDocumentsOnly: boolean(false).describe(
    'refuse all documents except the trusted ones; the explorer must be off, because it sends its own documents'
  )
}

export type DocumentSettings = Values<typeof settings>

/** Documents that requests name instead of sending them: trusted ones, and optionally no others; persisted queries. */
export const namedDocuments: Feature<typeof settings> = {
  settings,
  findContradictions({ graphqlDocuments, graphqlDocumentsOnly, explorer }, nameOf) {
    if (!graphqlDocumentsOnly) return []
    const [all, only] = [nameOf('graphqlDocuments'), nameOf('graphqlDocumentsOnly')]
    return [
      graphqlDocuments === undefined ? [`${all} is missing: ${only} needs it`] : [],
      explorer
        ? [`${nameOf('explorer')} must be false: it sends its own documents, which ${only} refuses`]
        : []
    ].flat()
  },
  server: () => import('./server.ts')
}
