/**
 * What an access token can be for, RFC 8707: an endpoint of the service, by its path below the issuer, or all of them
 * together, which is the issuer itself.
 */
export type Resource = Endpoint | ''

export type Endpoint = '/graphql' | '/mcp'

/** Returns the endpoints that a token for a resource is for. Without one, that is the GraphQL endpoint. */
export const endpointsOf = (resource: Resource | null): Endpoint[] =>
  resource === '' ? ['/graphql', '/mcp'] : [resource ?? '/graphql']

/** Whether a grant of one resource allows tokens for another one, RFC 8707 §2.2. */
export const covers = (granted: Resource | null, requested: Resource | null): boolean =>
  requested === null || endpointsOf(requested).every(endpoint => endpointsOf(granted).includes(endpoint))
