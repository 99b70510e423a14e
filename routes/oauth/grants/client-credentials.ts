import { apiScopes, concernsUser } from '../../../domain/rights.ts'
import { selectScopes } from '../parameters.ts'
import type { Grant } from './grant.ts'

/** The client acts on its own behalf, RFC 6749 §4.4; `sub` is its id, RFC 9068 §2.2. There is no user. */
export const clientCredentialsGrant: Grant = async ({ client, parameters }) => {
  const allowed = client.scopes.filter(scope => !concernsUser(scope))
  return { scopes: selectScopes(parameters.scope, allowed, apiScopes) }
}
