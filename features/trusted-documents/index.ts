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

/** Documents that clients send by an identifier, and optionally no others. */
export const trustedDocuments: Feature<typeof settings> = {
  settings,
  findContradictions({ graphqlDocuments, graphqlDocumentsOnly, explorer }, nameOf) {
    if (graphqlDocumentsOnly !== true) return []
    const [all, only] = [nameOf('graphqlDocuments'), nameOf('graphqlDocumentsOnly')]
    return [
      graphqlDocuments === undefined ? [`${all} is missing: ${only} needs it`] : [],
      explorer === true
        ? [`${nameOf('explorer')} must be false: it sends its own documents, which ${only} refuses`]
        : []
    ].flat()
  },
  isOn: ({ graphqlDocuments }) => graphqlDocuments !== undefined,
  server: () => import('./server.ts')
}
