import { boolean, integer } from './setting.ts'

/** Settings of `/graphql`. */
export const graphqlSettings = {
  graphqlMaxBodySize: integer([1024, 134_217_728], 1_048_576).describe(
    'maximum size of a GraphQL request in bytes'
  ),
  graphqlMaxResultSize: integer([1024, 536_870_912], 536_870_912).describe(
    'maximum size of a GraphQL response in bytes'
  ),
  graphqlMaxCost: integer([1000, 1_000_000_000], 500_000).describe(
    'maximum requested cost of an operation, estimated before it runs; a unit is about 10 microseconds of one core'
  ),
  // This is off, because a load test may send everything with one token.
  graphqlCostRate: integer([0, 1_000_000_000], 0).describe(
    'maximum cost per second of one token, averaged over ten seconds, in each process; 0 for no limit'
  ),
  graphqlTimeout: integer([1, 3600], 10).describe('seconds an operation may take'),
  graphqlMaxPendingSize: integer([1024, 1_099_511_627_776], 268_435_456).describe(
    'maximum total size in bytes of the GraphQL responses that a process is writing or sending; the responses of the explorer, `/metadata`, `/schemas` and `/metrics` have a separate limit of the same size; a single response may be larger'
  ),
  graphqlResponseCacheSize: integer([0, 1_099_511_627_776], 134_217_728).describe(
    'maximum size in bytes of the query responses that each worker process caches; 0 to cache none'
  ),
  graphqlIntrospection: boolean(true).describe(
    'allow `__schema` and `__type`; `__typename` is always allowed',
    { production: false }
  )
}
