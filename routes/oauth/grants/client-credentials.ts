import { apiScopes } from '../../../domain/rights.ts'
import { selectScopes } from '../parameters.ts'
import type { Grant } from './grant.ts'

/** The client acts on its own behalf, RFC 6749 §4.4; `sub` is its id, RFC 9068 §2.2. */
export const clientCredentials: Grant = async ({ client, parameters }) => ({
  scopes: selectScopes(parameters.scope, client.scopes, apiScopes)
})
