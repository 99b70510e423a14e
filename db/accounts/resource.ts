/** A resource of RFC 8707: an endpoint of the service, by its path below the issuer, or the issuer for all endpoints. */
export type Resource = Endpoint | ''

export type Endpoint = '/graphql' | '/mcp'

/** Lists the endpoints of a resource. Without a resource, it is the GraphQL endpoint. */
export const endpointsOf = (resource: Resource | null): Endpoint[] =>
  resource === '' ? ['/graphql', '/mcp'] : [resource ?? '/graphql']

/** Whether a grant for one resource allows tokens for another one, RFC 8707 §2.2. */
export const covers = (granted: Resource | null, requested: Resource | null): boolean =>
  requested === null || endpointsOf(requested).every(endpoint => endpointsOf(granted).includes(endpoint))
