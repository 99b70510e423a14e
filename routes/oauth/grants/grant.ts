import type { Client } from '../../../db/repositories/clients.ts'
import type { Db } from '../../../db/schema.ts'

/** Parameters of a token request; an empty one counts as absent, RFC 6749 §3.2. */
export interface TokenParameters {
  grant_type?: string
  username?: string
  email?: string
  password?: string
  scope?: string
}

export interface GrantRequest {
  db: Db
  client: Client
  parameters: TokenParameters
  /** Verified against when there is no user. */
  unmatchableHash: string
}

/** Who the token is for, and what else the response says. */
export interface Granted {
  sub: string
  profile: Record<string, unknown>
}

/** A grant type, RFC 6749 §1.3. Throws `invalid_request` or `invalid_grant`. */
export interface Grant {
  grantType: string
  run(request: GrantRequest): Promise<Granted>
}
