import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { generateSecret, hashSecret } from '../../credentials/secrets.ts'
import { type Client, scopes } from '../../db/accounts/clients.ts'
import { insertFamily } from '../../db/accounts/refresh-tokens.ts'
import type { User } from '../../db/accounts/users.ts'
import type { Db } from '../../db/schema.ts'
import { secondsAgo } from '../../db/timestamp.ts'
import { invalidScope } from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'
import type { Form } from './protocol.ts'

/** A grant type, RFC 6749 §1.3. Throws `invalid_request`, `invalid_scope` or `invalid_grant`. */
export type Grant = (request: GrantRequest) => Promise<Granted>

export interface GrantRequest {
  app: FastifyInstance
  db: Db
  client: Client
  parameters: Form
  settings: ServiceSettings
}

/** What a token response is made of. */
export interface Granted {
  /** Absent if the client acts on its own behalf. */
  user?: User
  scopes: string[]
  /** Whether the client gets the user's profile. */
  profile?: boolean
  /** Id of the family of refresh tokens. */
  sid?: string
  refreshToken?: string
}

/** scope-token *( SP scope-token ), RFC 6749 §3.3. */
const scopeGrammar = /^[\x21\x23-\x5B\x5D-\x7E]+( [\x21\x23-\x5B\x5D-\x7E]+)*$/

/**
 * Returns the scopes to grant, without duplicates and in canonical order: the requested ones, or else the default ones
 * that the client may have. Throws `invalid_scope` if one is malformed, unknown or not allowed for the client, or if
 * there is none.
 */
export function grantedScopes(
  requested: string | undefined,
  allowed: string[],
  byDefault: readonly string[] = scopes
): string[] {
  if (requested !== undefined && !scopeGrammar.test(requested)) throw invalidScope('malformed')
  const wanted = new Set(requested?.split(' ') ?? byDefault.filter(scope => allowed.includes(scope)))
  const granted = scopes.filter(scope => wanted.has(scope) && allowed.includes(scope))
  if (granted.length < wanted.size) throw invalidScope('unknown or not allowed for the client')
  if (granted.length === 0) throw invalidScope('the client has none by default')
  return granted
}

/** Creates a family of refresh tokens and returns the first; `db` is a transaction. */
export async function createFamily(
  { db, client, parameters, settings }: GrantRequest,
  userId: string,
  scopes: string[]
): Promise<{ sid: string; refreshToken: string }> {
  const refreshToken = generateSecret()
  const timeExpires = secondsAgo(-settings.refreshTokenTtl)
  const { grant_type: grantType = null } = parameters
  const family = { id: randomUUID(), clientId: client.id, userId, grantType, scopes, timeExpires }
  await insertFamily(db, family, hashSecret(refreshToken))
  return { sid: family.id, refreshToken }
}
