import { boolean, integer, json } from './setting.ts'

/** Settings of `/graphql` and `/changes`. */
export const graphqlSettings = {
  graphqlMaxDepth: integer([2, 100], {
    default: 15,
    description: 'maximum depth of fields in an operation; the full introspection query has 15'
  }),
  graphqlMaxTokens: integer([50, 10_000], {
    default: 1000,
    description: 'maximum number of tokens in a GraphQL document'
  }),
  graphqlMaxAliases: integer([0, 10_000], {
    default: 15,
    description: 'maximum number of aliases in an operation; a fragment counts each time it is spread'
  }),
  graphqlMaxDirectives: integer([0, 10_000], {
    default: 8,
    description: 'maximum number of directives in an operation, counted in the same way'
  }),
  graphqlMaxSourceLength: integer([256, 65_536], {
    default: 16_384,
    description: 'maximum length of a GraphQL document in characters, without variables'
  }),
  graphqlMaxBodySize: integer([1024, 134_217_728], {
    default: 1_048_576,
    description: 'maximum size of a GraphQL request in bytes'
  }),
  graphqlMaxResultSize: integer([1024, 536_870_912], {
    default: 536_870_912,
    description: 'maximum size of a GraphQL response in bytes'
  }),
  graphqlMaxCost: integer([1000, 1_000_000_000], {
    default: 500_000,
    description: 'maximum cost of an operation; one unit is about 10 microseconds of one core'
  }),
  graphqlCostRate: integer([0, 1_000_000_000], {
    default: 2_000_000,
    description:
      'cost a token may spend per second, averaged over ten seconds; per worker; 0 disables the limit'
  }),
  graphqlConcurrency: integer([1, 10_000], {
    default: 8,
    description: 'operations of one token that run at the same time, per worker; further ones wait'
  }),
  graphqlTimeout: integer([1, 3600], { default: 10, description: 'seconds an operation may take' }),
  graphqlMaxPendingSize: integer([1024, 1_099_511_627_776], {
    default: 268_435_456,
    description:
      'maximum size in bytes of all GraphQL responses that a process is writing or sending, and separately of those of the explorer, `/metadata`, `/schemas` and `/metrics`; a single response may be larger'
  }),
  graphqlResponseCacheSize: integer([0, 1_099_511_627_776], {
    default: 134_217_728,
    description: 'maximum size in bytes of the query responses that each worker caches; 0 to cache none'
  }),
  graphqlStallTimeout: integer([1, 3600], {
    default: 30,
    description: 'seconds after which the connection of a client that stopped reading its response is closed'
  }),
  changesMaxStreams: integer([1, 1_000_000], {
    default: 1000,
    description: 'streams of changes that are open at the same time, per worker'
  }),
  changesStreamsPerToken: integer([1, 1_000_000], {
    default: 10,
    description: 'streams of changes that one token may have open at the same time, per worker'
  }),
  changesHeartbeat: integer([1, 300], {
    default: 15,
    description: 'seconds between heartbeats on a stream of changes without events'
  }),
  graphqlIntrospection: boolean({
    default: true,
    production: false,
    description: 'allow `__schema` and `__type`; `__typename` is always allowed'
  }),
  graphqlDocuments: json('object', {
    description:
      'trusted documents, which clients send by their `documentId`: a manifest of Relay, Apollo or graphql-codegen, JSON or a file with it, see docs/documents.md'
  }),
  graphqlDocumentsOnly: boolean({
    default: false,
    description: 'refuse all documents but these; excludes the explorer, which sends its own'
  }),
  graphqlSubgraph: boolean({
    default: false,
    description: 'be a subgraph of Apollo Federation: `_service` and `_entities`, see docs/federation.md'
  })
}
