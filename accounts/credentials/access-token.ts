import type { JWT } from '@fastify/jwt'
import { LRUCache } from 'lru-cache'
import { readTokenStatus, type TokenSubject } from '../../db/accounts/token-status.ts'
import type { Db } from '../../db/schema.ts'
import { type Version, versionsOf } from '../../db/versions.ts'
import type { WantedEndpoint } from '../../domain/rights.ts'
import { clockSkewSeconds } from '../../domain/timestamp.ts'
import type { Reason } from '../../runtime/error-codes.ts'
import { invalidToken } from '../../runtime/errors.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import { inSpan } from '../../runtime/tracing.ts'
import type { KeyRing } from './key-ring.ts'
import { AccessTokenClaims, type KnownToken, limitToUser, type VerifiedToken } from './verified-token.ts'

/** Verifies the tokens of one issuer. Rejects with `invalid_token`, or `unavailable` if its keys cannot be read. */
export type VerifyTrusted = (token: string) => Promise<KnownToken>

interface VerifierOptions {
  db: Db
  jwt: JWT
  keys: KeyRing
  /** Returns the issuer of this service, which may be known only when the server listens. */
  issuer(): string
  /** The verifiers of trusted issuers, by `iss`. */
  trusted: Map<unknown, VerifyTrusted>
}

/** The version at which a token must be valid, and the endpoint that the token must be for. */
export interface VerifyOptions {
  version?: Version | undefined
  /** By default `/graphql`. */
  endpoint?: WantedEndpoint | undefined
}

const maxKnownTokens = 10_000
/** Maximum characters of a token that is cached. */
const maxKnownTokenLength = 4096

/** Creates `verify`, `verifyFromCache` and `read`. For the caller, every failure is the same `invalid_token`. */
export function createVerifier(options: VerifierOptions) {
  const { db, issuer } = options
  const versions = versionsOf(db)
  /** Verified tokens by their text, so that each signature is verified once. */
  const knownTokens = new LRUCache<string, KnownToken>({ max: maxKnownTokens })
  const findKnown = (token: string): KnownToken | undefined => {
    const known = knownTokens.get(token)
    return known && !isExpired(known.verified) && known.isCurrent() ? known : undefined
  }
  const remember = (token: string, known: KnownToken): VerifiedToken => {
    if (token.length <= maxKnownTokenLength) knownTokens.set(token, known)
    return known.verified
  }
  const checkStatus = async (token: string): Promise<VerifiedToken> => {
    const known = findKnown(token) ?? (await checkToken(options, token))
    const { own } = known
    if (!own) return remember(token, known)
    // The version is read before the status. If the status changes in between, the next request reads it again.
    const { access } = await versions.now()
    if (own.access === access) return known.verified
    const { ended, rights } = await readTokenStatus(db, own.subject)
    if (ended) {
      // `verifyFromCache` must not accept it either: else the bodies of its requests would still be read.
      knownTokens.delete(token)
      throw invalidToken(ended.detail, ended.reason)
    }
    const verified = limitToUser(own.claims, rights)
    return remember(token, { ...known, verified, own: { ...own, access } })
  }
  const verify = async (token: string, { version, endpoint = '/graphql' }: VerifyOptions = {}) => {
    const known = version && findKnown(token)
    const isValid = known && (!known.own || known.own.access === version.access)
    const verified = isValid ? known.verified : await inSpan('check token', {}, () => checkStatus(token))
    return requireEndpoint(verified, issuer(), endpoint)
  }
  const verifyFromCache = async (token: string, endpoint: WantedEndpoint = '/graphql') => {
    const known = findKnown(token)
    return known ? requireEndpoint(known.verified, issuer(), endpoint) : verify(token, { endpoint })
  }
  const read = async (token: string) => (await checkOwnToken(options, token)).own.claims
  return { verify, verifyFromCache, read }
}

/** Verifies the signature of a token of any issuer, and checks its claims. */
async function checkToken(options: VerifierOptions, token: string): Promise<KnownToken> {
  const decoded = decode(options.jwt, token)
  const { iss } = decoded.payload
  const verifyTrusted = iss === options.issuer() ? undefined : options.trusted.get(iss)
  return verifyTrusted ? verifyTrusted(token) : checkOwnToken(options, token, decoded)
}

/** Returns a token that is for the endpoint, RFC 9068 §4. Throws `invalid_token` for another one. */
function requireEndpoint(verified: VerifiedToken, issuer: string, endpoint: WantedEndpoint): VerifiedToken {
  if (endpoint === 'any') return verified
  // A host without the compiler may pass anything, such as a variable that is empty.
  if (!endpoint.startsWith('/'))
    throw new ArgumentError("productTokens: the endpoint must be a path that begins with /, or 'any'")
  const { iss, aud } = verified
  const audience = `${issuer}${endpoint}`
  // The audience in tokens of another issuer is a setting. For other endpoints, clients name the resource.
  const isChecked = iss !== issuer && endpoint === '/graphql'
  if (isChecked || aud === audience || [aud].flat().includes(audience)) return verified
  throw invalidToken('wrong audience', 'wrong_issuer')
}

/** The reasons for the error codes of the library. */
const reasons = new Map<string | undefined, Reason>([
  ['FAST_JWT_EXPIRED', 'expired'],
  ['FAST_JWT_INVALID_SIGNATURE', 'wrong_signature'],
  ['FAST_JWT_MISSING_SIGNATURE', 'wrong_signature'],
  ['FAST_JWT_VERIFY_ERROR', 'wrong_signature']
])

/** Verifies the signature of a token of this service, and checks its claims. */
async function checkOwnToken(
  options: VerifierOptions,
  token: string,
  { header } = decode(options.jwt, token)
): Promise<Required<KnownToken>> {
  const { jwt, keys, issuer } = options
  const key = await keys.find(String(header.kid))
  if (!key) throw invalidToken('unknown key', 'unknown_key')
  let payload: unknown
  try {
    payload = jwt.verify(token, { key: key.publicPem, algorithms: [key.algorithm] })
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    throw invalidToken(message, reasons.get(code))
  }
  const claims = checkClaims(payload, issuer)
  const subject = makeSubject(claims, keys.mutable ? key.kid : undefined)
  return {
    verified: limitToUser(claims, {}),
    isCurrent: () => claims.iss === issuer() && !isEarly(claims.iat),
    own: { claims, subject }
  }
}

/** A token is invalid "on or after" the second `exp`, RFC 7519 §4.1.4. */
export const isExpired = ({ exp }: Pick<AccessTokenClaims, 'exp'>): boolean => exp * 1000 <= Date.now()

/** Whether a time of a token is in the future by every clock, such as after this clock was set back. */
export const isEarly = (seconds = 0): boolean => seconds - clockSkewSeconds > Date.now() / 1000

const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part

/** Reads a token without verifying it. */
function decode(jwt: JWT, token: string) {
  if (typeof token !== 'string') throw invalidToken('not a string', 'malformed')
  // Base64url must be canonical. Otherwise, unused bits of the last character allow several texts of one token.
  if (!token.split('.').every(isCanonical)) throw invalidToken('not canonical base64url', 'malformed')
  try {
    const { header, payload } = jwt.decode(token, { complete: true }) as unknown as Record<string, object>
    return { header: { ...header } as { kid?: unknown }, payload: { ...payload } as { iss?: unknown } }
  } catch {
    throw invalidToken('not a JWT', 'malformed')
  }
}

/** Checks issuer and times. */
function checkClaims(payload: unknown, issuer: () => string): AccessTokenClaims {
  const claims = AccessTokenClaims.value(payload)
  if (!claims) throw invalidToken('a claim is missing or of the wrong type', 'malformed')
  if (claims.iss !== issuer()) throw invalidToken('wrong issuer', 'wrong_issuer')
  if (isEarly(claims.iat)) throw invalidToken('issued in the future')
  if (isExpired(claims)) throw invalidToken('expired', 'expired')
  return claims
}

/**
 * Returns the facts that must not have changed since the token was issued; `kid` is its key, if that may be removed.
 */
function makeSubject(claims: AccessTokenClaims, kid: string | undefined): TokenSubject {
  const { jti, sid, sub, client_id: clientId, client_epoch: clientEpoch = 0, epoch, external } = claims
  const hasUser = !external && (sub !== clientId || epoch !== undefined)
  return { jti, sid, userId: hasUser ? sub : undefined, userEpoch: epoch ?? 0, clientId, clientEpoch, kid }
}
