import type { Client } from '../../db/accounts/clients.ts'
import type { Db } from '../../db/schema.ts'
import type { ServiceSettings } from '../../options.ts'

/** Parameters of a token request; an empty one counts as absent, RFC 6749 §3.2. */
export interface TokenParameters {
  grant_type?: string
  username?: string
  email?: string
  password?: string
  refresh_token?: string
  code?: string
  redirect_uri?: string
  code_verifier?: string
  scope?: string
}

export interface GrantRequest {
  db: Db
  client: Client
  parameters: TokenParameters
  settings: ServiceSettings
}

/** The subject and scopes of the token, and other contents of the response. */
export interface Granted {
  sub: string
  /** `tokenEpoch` of the user at authentication; a client has none. */
  epoch?: number
  scopes: string[]
  profile: Record<string, unknown>
  /** Id of the family of refresh tokens. */
  sid?: string
  refreshToken?: string
}

/** A grant type, RFC 6749 §1.3. Throws `invalid_request`, `invalid_scope` or `invalid_grant`. */
export interface Grant {
  grantType: string
  run(request: GrantRequest): Promise<Granted>
}
