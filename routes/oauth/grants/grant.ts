import type { FastifyInstance } from 'fastify'
import type { LoginFacts } from '../../../accounts/credentials/id-token.ts'
import type { StoredClient } from '../../../db/accounts/clients.ts'
import type { StoredUser } from '../../../db/accounts/users.ts'
import type { Db, Transaction } from '../../../db/schema.ts'
import { transact } from '../../../db/transaction.ts'
import type { GrantType, Resource } from '../../../domain/rights.ts'
import type { ServiceSettings } from '../../../options/index.ts'
import { invalidRequest, PublicError, returnPublicError } from '../../../runtime/errors.ts'
import type { Form } from '../parameters.ts'

/** A grant type, RFC 6749 §1.3. Throws `invalid_request`, `invalid_scope`, `invalid_target` or `invalid_grant`. */
export type Grant = (request: GrantRequest) => Promise<GrantResult>

export interface GrantRequest {
  app: FastifyInstance
  db: Db
  client: StoredClient
  parameters: Form
  /** Null if the request names none. */
  resource: Resource | null
  settings: ServiceSettings
}

/** A request of a grant that does all its work in one transaction. */
export interface RequestInTransaction extends Omit<GrantRequest, 'db'> {
  transaction: Transaction
}

/**
 * Makes a grant that exchanges the value of a parameter in one transaction. A refusal still commits the writes of the
 * exchange: the use of a code, or the end of a family. Any other error rolls the transaction back.
 */
export const grantInTransaction =
  (
    parameter: 'code' | 'refresh_token',
    exchange: (request: RequestInTransaction, given: string) => Promise<GrantResult>
  ): Grant =>
  async request => {
    const given = request.parameters[parameter]
    if (!given) throw invalidRequest(`${parameter} is missing`)
    const granted = await transact<GrantResult | PublicError>(request.db, transaction =>
      exchange({ ...request, transaction }, given).catch(returnPublicError)
    )
    if (granted instanceof PublicError) throw granted
    return granted
  }

/** The contents of a token response. */
export interface GrantResult {
  /** Absent if the client acts on its own behalf. */
  user?: StoredUser
  /** The scopes that the client may have and the role of the user allows. */
  scopes: string[]
  /** The resource of the login, if the login began with an earlier request. */
  resource?: Resource | null
  /** The grant that the login began with, if it is another grant. */
  originalGrant?: GrantType
  /** Id of the family of refresh tokens. */
  sid?: string
  /** The facts about the login for an ID token. */
  login?: LoginFacts
  refreshToken?: string
}
