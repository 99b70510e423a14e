import type { JWT } from '@fastify/jwt'
import { LRUCache } from 'lru-cache'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Endpoint, endpointsOf } from '../db/accounts/resource.ts'
import { statusOfToken, type TokenSubject } from '../db/accounts/token-status.ts'
import type { Db } from '../db/schema.ts'
import { clockSkewSeconds } from '../db/timestamp.ts'
import { type Version, versionsOf } from '../db/versions.ts'
import { invalidToken, type Reason } from '../errors.ts'
import { inSpan } from '../tracing/active.ts'
import type { KeyRing } from './key-ring.ts'
import type { VerifyTrusted } from './trusted/tokens.ts'
import { isExpired, limitToUser, type VerifiedToken } from './verified-token.ts'

const text = () => Type.String({ minLength: 1 })
const epoch = () => Type.Integer({ minimum: 0 })

/** Claims of an access token, RFC 9068 §2.2. */
const AccessTokenClaims = Type.Object({
  iss: Type.String(),
  sub: text(),
  aud: Type.Union([Type.String(), Type.Array(Type.String())]),
  client_id: text(),
  iat: epoch(),
  exp: epoch(),
  jti: text(),
  scope: Type.String(),
  /** Id of its family of refresh tokens. */
  sid: Type.Optional(Type.String()),
  /** `tokenEpoch` of the user when the token was issued; absent means 0. */
  epoch: Type.Optional(epoch()),
  /** `tokenEpoch` of the client when the token was issued; absent means 0. */
  client_epoch: Type.Optional(epoch()),
  /** Whether only the host knows the subject: it is neither a user nor a client in the database. */
  external: Type.Optional(Type.Boolean())
})
export type AccessTokenClaims = Static<typeof AccessTokenClaims>
const claimsValidator = Compile(AccessTokenClaims)

/** What tokens are verified by. The issuer may be known only once the server listens. */
interface VerifierOptions {
  db: Db
  jwt: JWT
  keys: KeyRing
  issuer(): string
  /** By `iss`. */
  trusted: Map<unknown, VerifyTrusted>
}

/** A token whose signature and claims were right. */
interface KnownToken {
  claims: AccessTokenClaims
  /** With what the holder may do, at `access`. */
  verified: VerifiedToken
  /** The id of its key. */
  kid?: string
  /** The `Version.access` at which nothing had ended the token. */
  access?: string
  /** Whether another issuer, whose token it is, still has the key. Nothing else ends such a token before it expires. */
  isTrusted?(): boolean
}

const maxKnownTokens = 10_000
/** Characters of a token that is remembered. */
const maxKnownLength = 4096

/** Creates `verify`, `recognize` and `read` of the plugin. Every failure is the same `invalid_token` to the caller. */
export function createVerifier(options: VerifierOptions) {
  const { db, keys } = options
  const versions = versionsOf(db)
  /** By their text, so that each signature is verified once. */
  const knownTokens = new LRUCache<string, KnownToken>({ max: maxKnownTokens })
  const findKnown = (token: string): KnownToken | undefined => {
    const known = knownTokens.get(token)
    if (!known || isExpired(known.claims)) return undefined
    const isTrusted = known.isTrusted?.() ?? known.claims.iss === options.issuer()
    return isTrusted ? known : undefined
  }
  const remember = (token: string, known: KnownToken): VerifiedToken => {
    if (token.length <= maxKnownLength) knownTokens.set(token, known)
    return known.verified
  }
  const checkStatus = async (token: string): Promise<VerifiedToken> => {
    const known = findKnown(token) ?? (await checkSignature(options, token))
    if (known.isTrusted) return remember(token, known)
    // Read before the status, which may change in between: it is then asked for once more.
    const { access } = await versions.now()
    if (known.access === access) return known.verified
    const { end, ...user } = await statusOfToken(db, subjectOf(known, keys))
    if (end !== undefined) throw invalidToken(...end)
    return remember(token, { ...known, verified: limitToUser(known.claims, user), access })
  }
  const forEndpoint = (verified: VerifiedToken, endpoint: Endpoint): VerifiedToken => {
    checkEndpoint(verified, options.issuer(), endpoint)
    return verified
  }
  const verify = async (token: string, version?: Version, endpoint: Endpoint = '/graphql') => {
    const known = version && findKnown(token)
    if (known?.isTrusted || (known?.access !== undefined && known.access === version?.access))
      return forEndpoint(known.verified, endpoint)
    return forEndpoint(await inSpan('check token', {}, () => checkStatus(token)), endpoint)
  }
  const recognize = async (token: string, endpoint: Endpoint = '/graphql') => {
    const known = findKnown(token)
    return known ? forEndpoint(known.verified, endpoint) : verify(token, undefined, endpoint)
  }
  const read = async (token: string) => (await checkOwnSignature(options, token)).claims
  return { verify, recognize, read }
}

/** What the codes of the library mean. */
const reasons = new Map<string | undefined, Reason>([
  ['FAST_JWT_EXPIRED', 'expired'],
  ['FAST_JWT_INVALID_SIGNATURE', 'wrong_signature'],
  ['FAST_JWT_MISSING_SIGNATURE', 'wrong_signature'],
  ['FAST_JWT_VERIFY_ERROR', 'wrong_signature']
])

/** Verifies the signature of a token of any issuer, and checks its claims. */
async function checkSignature(options: VerifierOptions, token: string): Promise<KnownToken> {
  const decoded = decode(options.jwt, token)
  const { iss } = decoded.payload
  const verifyTrusted = iss === options.issuer() ? undefined : options.trusted.get(iss)
  return verifyTrusted ? verifyTrusted(token) : checkOwnSignature(options, token, decoded)
}

/** Verifies the signature of a token of this service, and checks its claims. */
async function checkOwnSignature(
  options: VerifierOptions,
  token: string,
  { header } = decode(options.jwt, token)
): Promise<KnownToken> {
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
function decode(jwt: JWT, token: string) {
  if (typeof token !== 'string') throw invalidToken('not a string', 'malformed')
  // Only canonical base64url: the unused bits of the last character would allow several spellings of a token.
  if (!token.split('.').every(isCanonical)) throw invalidToken('not canonical base64url', 'malformed')
  try {
    const { header, payload } = jwt.decode(token, { complete: true }) as unknown as Record<string, object>
    return { header: { ...header } as { kid?: unknown }, payload: { ...payload } as { iss?: unknown } }
  } catch {
    throw invalidToken('not a JWT', 'malformed')
  }
}

/** Throws if a token is for another endpoint, RFC 9068 §4. */
function checkEndpoint({ iss, aud }: AccessTokenClaims, issuer: string, endpoint: Endpoint): void {
  // How another issuer calls the service is a setting, and was checked. MCP clients name the resource themselves.
  if (iss !== issuer && endpoint === '/graphql') return
  const wanted = `${issuer}${endpoint}`
  if (aud !== wanted && ![aud].flat().includes(wanted)) throw invalidToken('wrong audience', 'wrong_issuer')
}

/** Checks issuer, audience and times. */
function checkClaims(claims: unknown, { issuer }: VerifierOptions): AccessTokenClaims {
  if (!claimsValidator.Check(claims))
    throw invalidToken('a claim is missing or of the wrong type', 'malformed')
  if (claims.iss !== issuer()) throw invalidToken('wrong issuer', 'wrong_issuer')
  const audiences = endpointsOf('').map(endpoint => `${issuer()}${endpoint}`)
  if (![claims.aud].flat().some(aud => audiences.includes(aud)))
    throw invalidToken('wrong audience', 'wrong_issuer')
  if (claims.iat - clockSkewSeconds > Date.now() / 1000) throw invalidToken('issued in the future')
  if (isExpired(claims)) throw invalidToken('expired', 'expired')
  return claims
}

const subjectOf = ({ claims, kid }: KnownToken, keys: KeyRing): TokenSubject => ({
  jti: claims.jti,
  sid: claims.sid,
  client: { id: claims.client_id, epoch: claims.client_epoch ?? 0 },
  user: userOf(claims),
  ...(keys.mutable && { kid })
})

/** Returns the user who must exist for the token to be valid. */
function userOf({ sub, client_id: clientId, epoch, external }: AccessTokenClaims) {
  if (external || (sub === clientId && epoch === undefined)) return undefined
  return { id: sub, epoch: epoch ?? 0 }
}
