import { integer } from './setting.ts'

/** Limits whose defaults suit the command. Only hosts can change them: they have no variable and no flag. */
export const limitSettings = {
  graphqlMaxDepth: integer([2, 100], 15).describe(
    'maximum depth of fields in an operation; the full introspection query has a depth of 15'
  ),
  graphqlMaxTokens: integer([50, 10_000], 1000).describe('maximum number of tokens in a GraphQL document'),
  graphqlMaxAliases: integer([0, 10_000], 15).describe(
    'maximum number of aliases in an operation; a fragment counts each time it is spread'
  ),
  graphqlMaxDirectives: integer([0, 10_000], 8).describe(
    'maximum number of directives in an operation; a fragment counts each time it is spread'
  ),
  graphqlMaxSourceLength: integer([256, 65_536], 16_384).describe(
    'maximum length of a GraphQL document in characters, without variables'
  ),
  graphqlStallTimeout: integer([1, 3600], 30).describe(
    'seconds after which the connection of a client that stopped reading its response is closed'
  ),
  changesMaxStreams: integer([1, 1_000_000], 1000).describe(
    'maximum number of streams of changes that are open at the same time'
  ),
  changesStreamsPerToken: integer([1, 1_000_000], 10).describe(
    'maximum number of streams of changes that one token may have open at the same time'
  ),
  changesHeartbeat: integer([1, 300], 15).describe(
    'seconds between heartbeats on a stream of changes without events'
  )
}
