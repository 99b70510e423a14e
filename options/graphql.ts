import { Type } from './types.ts'

/** Settings of `/graphql` and `/changes`. */
export const graphqlSettings = {
  graphqlMaxDepth: Type.Integer({
    env: 'GRAPHQL_MAX_DEPTH',
    default: 15,
    minimum: 2,
    maximum: 100,
    description: 'maximum depth of fields in an operation; the full introspection query has 15'
  }),
  graphqlMaxTokens: Type.Integer({
    env: 'GRAPHQL_MAX_TOKENS',
    default: 1000,
    minimum: 50,
    maximum: 10_000,
    description: 'maximum number of tokens in a GraphQL document'
  }),
  graphqlMaxAliases: Type.Integer({
    env: 'GRAPHQL_MAX_ALIASES',
    default: 15,
    minimum: 0,
    maximum: 10_000,
    description: 'maximum number of aliases in an operation; a fragment counts each time it is spread'
  }),
  graphqlMaxDirectives: Type.Integer({
    env: 'GRAPHQL_MAX_DIRECTIVES',
    default: 8,
    minimum: 0,
    maximum: 10_000,
    description: 'maximum number of directives in an operation, counted in the same way'
  }),
  graphqlMaxSourceLength: Type.Integer({
    env: 'GRAPHQL_MAX_SOURCE_LENGTH',
    default: 16_384,
    minimum: 256,
    maximum: 65_536,
    description: 'maximum length of a GraphQL document in characters, without variables'
  }),
  graphqlMaxBodySize: Type.Integer({
    env: 'GRAPHQL_MAX_BODY_SIZE',
    default: 1_048_576,
    minimum: 1024,
    maximum: 134_217_728,
    description: 'maximum size of a GraphQL request in bytes'
  }),
  graphqlMaxResultSize: Type.Integer({
    env: 'GRAPHQL_MAX_RESULT_SIZE',
    default: 536_870_912,
    minimum: 1024,
    maximum: 536_870_912,
    description: 'maximum size of a GraphQL response in bytes'
  }),
  graphqlMaxCost: Type.Integer({
    env: 'GRAPHQL_MAX_COST',
    default: 500_000,
    minimum: 1000,
    maximum: 1_000_000_000,
    description: 'maximum cost of an operation; one unit is about 10 microseconds of one core'
  }),
  graphqlCostRate: Type.Integer({
    env: 'GRAPHQL_COST_RATE',
    default: 2_000_000,
    minimum: 0,
    maximum: 1_000_000_000,
    description:
      'cost a token may spend per second, averaged over ten seconds; per worker; 0 disables the limit'
  }),
  graphqlConcurrency: Type.Integer({
    env: 'GRAPHQL_CONCURRENCY',
    default: 8,
    minimum: 1,
    maximum: 10_000,
    description: 'operations of one token that run at the same time, per worker; further ones wait'
  }),
  graphqlTimeout: Type.Integer({
    env: 'GRAPHQL_TIMEOUT',
    default: 10,
    minimum: 1,
    maximum: 3600,
    description: 'seconds an operation may take'
  }),
  graphqlMaxPendingSize: Type.Integer({
    env: 'GRAPHQL_MAX_PENDING_SIZE',
    default: 268_435_456,
    minimum: 1024,
    maximum: 1_099_511_627_776,
    description:
      'maximum size in bytes of all GraphQL responses that are being written or sent, and separately of those of the explorer, `/metadata`, `/schemas` and `/metrics`; divided among WORKERS; a single response may be larger'
  }),
  graphqlResponseCacheSize: Type.Integer({
    env: 'GRAPHQL_RESPONSE_CACHE_SIZE',
    default: 134_217_728,
    minimum: 0,
    maximum: 1_099_511_627_776,
    description: 'maximum size in bytes of the query responses that each worker caches; 0 to cache none'
  }),
  graphqlStallTimeout: Type.Integer({
    env: 'GRAPHQL_STALL_TIMEOUT',
    default: 30,
    minimum: 1,
    maximum: 3600,
    description: 'seconds after which the connection of a client that stopped reading its response is closed'
  }),
  changesMaxStreams: Type.Integer({
    env: 'CHANGES_MAX_STREAMS',
    default: 1000,
    minimum: 1,
    maximum: 1_000_000,
    description: 'streams of changes that are open at the same time, per worker'
  }),
  changesStreamsPerToken: Type.Integer({
    env: 'CHANGES_STREAMS_PER_TOKEN',
    default: 10,
    minimum: 1,
    maximum: 1_000_000,
    description: 'streams of changes that one token may have open at the same time, per worker'
  }),
  changesHeartbeat: Type.Integer({
    env: 'CHANGES_HEARTBEAT',
    default: 15,
    minimum: 1,
    maximum: 300,
    description: 'seconds between heartbeats on a stream of changes without events'
  }),
  graphqlIntrospection: Type.Boolean({
    env: 'GRAPHQL_INTROSPECTION',
    default: true,
    production: false,
    expected: 'true or false',
    description: 'allow `__schema` and `__type`; `__typename` is always allowed'
  })
}
