import { type GrantType, publicGrantTypes } from '../../../accounts/rights.ts'
import type { Client } from '../../../db/accounts/clients.ts'
import { unauthorizedClient, unsupportedGrantType } from '../../../errors.ts'
import type { Grant } from '../grant.ts'
import { authorizationCode } from './authorization-code.ts'
import { clientCredentials } from './client-credentials.ts'
import { password } from './password.ts'
import { refreshToken } from './refresh-token.ts'

/** Who may have a grant is in `accounts/rights.ts`; everything else that lists the grants is derived from both. */
const table: Record<GrantType, Grant> = {
  password,
  client_credentials: clientCredentials,
  refresh_token: refreshToken,
  authorization_code: authorizationCode
}
const grants = new Map<string, Grant>(Object.entries(table))

/** The parameters of all grants that carry credentials. */
export const grantCredentials = [...grants.values()].flatMap(({ credentials }) => credentials)

/** Returns the grant of a type. Throws if it is not supported or not allowed for the client. */
export function selectGrant(grantType: string, client: Client): Grant {
  const grant = grants.get(grantType)
  if (!grant) throw unsupportedGrantType()
  // An older program on the same store may give a public client any grant.
  const isAllowed = !client.isPublic || publicGrantTypes.includes(grantType)
  if (!isAllowed || !client.grantTypes.includes(grantType)) throw unauthorizedClient(`client ${client.id}`)
  return grant
}
