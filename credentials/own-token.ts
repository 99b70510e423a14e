import type { JWT } from '@fastify/jwt'
import { array, boolean, type DecoderType, integer, min, object, string } from 'decoders'
import { endpointsOf } from '../db/accounts/resource.ts'
import type { TokenSubject } from '../db/accounts/token-status.ts'
import { clockSkewSeconds } from '../db/timestamp.ts'
import { invalidToken, type Reason } from '../errors.ts'
import { either, nonEmptyText, optional } from '../validator.ts'
import type { KeyRing } from './key-ring.ts'
import { isExpired, limitToUser, type VerifiedToken } from './verified-token.ts'

const epoch = min(0, integer)

/** Claims of an access token, RFC 9068 §2.2. */
const AccessTokenClaims = object({
  iss: string,
  sub: nonEmptyText,
  aud: either(string, array(string)),
  client_id: nonEmptyText,
  iat: epoch,
  exp: epoch,
  jti: nonEmptyText,
  scope: string,
  /** Id of its family of refresh tokens. */
  sid: optional(string),
  /** `tokenEpoch` of the user when the token was issued; absent means 0. */
  epoch: optional(epoch),
  /** `tokenEpoch` of the client when the token was issued; absent means 0. */
  client_epoch: optional(epoch),
  /** Whether only the host knows the subject: it is neither a user nor a client in the database. */
  external: optional(boolean)
})
export type AccessTokenClaims = DecoderType<typeof AccessTokenClaims>

/** The objects that verify the tokens of this service. The issuer may be known only when the server listens. */
export interface OwnIssuer {
  jwt: JWT
  keys: KeyRing
  issuer(): string
}

/** A token of this service with a valid signature and valid claims. */
export interface OwnToken {
  claims: AccessTokenClaims
  /** The claims with the rights of the holder, at the version `access`. */
  verified: VerifiedToken
  /** The id of its key. */
  kid: string
  /** The `Version.access` at which the token was valid; undefined before its status was read. */
  access?: string
}

/** The reasons for the error codes of the library. */
const reasons = new Map<string | undefined, Reason>([
  ['FAST_JWT_EXPIRED', 'expired'],
  ['FAST_JWT_INVALID_SIGNATURE', 'wrong_signature'],
  ['FAST_JWT_MISSING_SIGNATURE', 'wrong_signature'],
  ['FAST_JWT_VERIFY_ERROR', 'wrong_signature']
])

/** Verifies the signature of a token of this service, and checks its claims. */
export async function checkOwnToken(
  options: OwnIssuer,
  token: string,
  { header } = decode(options.jwt, token)
): Promise<OwnToken> {
  const { jwt, keys } = options
  const key = await keys.find(String(header.kid))
  if (!key) throw invalidToken('unknown key', 'unknown_key')
  let claims: unknown
  try {
    claims = jwt.verify(token, { key: key.publicPem, algorithms: [key.algorithm] })
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    throw invalidToken(message, reasons.get(code))
  }
  const checked = checkClaims(claims, options)
  return { claims: checked, verified: limitToUser(checked), kid: key.kid }
}

const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part

/** Reads a token without verifying it. */
export function decode(jwt: JWT, token: string) {
  if (typeof token !== 'string') throw invalidToken('not a string', 'malformed')
  // Base64url must be canonical. Otherwise, the unused bits of the last character allow several texts of the same
  // token.
  if (!token.split('.').every(isCanonical)) throw invalidToken('not canonical base64url', 'malformed')
  try {
    const { header, payload } = jwt.decode(token, { complete: true }) as unknown as Record<string, object>
    return { header: { ...header } as { kid?: unknown }, payload: { ...payload } as { iss?: unknown } }
  } catch {
    throw invalidToken('not a JWT', 'malformed')
  }
}

/** Checks issuer, audience and times. */
function checkClaims(given: unknown, { issuer }: OwnIssuer): AccessTokenClaims {
  const claims = AccessTokenClaims.value(given)
  if (!claims) throw invalidToken('a claim is missing or of the wrong type', 'malformed')
  if (claims.iss !== issuer()) throw invalidToken('wrong issuer', 'wrong_issuer')
  const audiences = endpointsOf('').map(endpoint => `${issuer()}${endpoint}`)
  if (![claims.aud].flat().some(aud => audiences.includes(aud)))
    throw invalidToken('wrong audience', 'wrong_issuer')
  if (claims.iat - clockSkewSeconds > Date.now() / 1000) throw invalidToken('issued in the future')
  if (isExpired(claims)) throw invalidToken('expired', 'expired')
  return claims
}

/** Returns the facts that must not have changed since the token was issued. */
export const makeSubject = ({ claims, kid }: OwnToken, keys: KeyRing): TokenSubject => ({
  jti: claims.jti,
  sid: claims.sid,
  client: { id: claims.client_id, epoch: claims.client_epoch ?? 0 },
  user: findRequiredUser(claims),
  ...(keys.mutable && { kid })
})

/** Returns the user who must exist for the token to be valid. */
function findRequiredUser({ sub, client_id: clientId, epoch, external }: AccessTokenClaims) {
  if (external || (sub === clientId && epoch === undefined)) return undefined
  return { id: sub, epoch: epoch ?? 0 }
}
