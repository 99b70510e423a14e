import { LRUCache } from 'lru-cache'
import type { Endpoint } from '../db/accounts/resource.ts'
import { statusOfToken } from '../db/accounts/token-status.ts'
import type { Db } from '../db/schema.ts'
import { type Version, versionsOf } from '../db/versions.ts'
import { invalidToken } from '../errors.ts'
import { inSpan } from '../tracing/active.ts'
import {
  type AccessTokenClaims,
  checkOwnToken,
  decode,
  makeSubject,
  type OwnIssuer,
  type OwnToken
} from './own-token.ts'
import type { TrustedToken, VerifyTrusted } from './trusted/tokens.ts'
import { isExpired, limitToUser, type VerifiedToken } from './verified-token.ts'

interface VerifierOptions extends OwnIssuer {
  db: Db
  /** The verifiers of trusted issuers, by `iss`. */
  trusted: Map<unknown, VerifyTrusted>
}

type KnownToken = OwnToken | TrustedToken

/** Whether a token is of a trusted issuer. Before such a token expires, only the removal of its key ends it. */
const isTrusted = (token: KnownToken): token is TrustedToken => 'isTrusted' in token

const maxKnownTokens = 10_000
/** Maximum characters of a token that is cached. */
const maxKnownTokenLength = 4096

/** Creates `verify`, `recognize` and `read` of the plugin. For the caller, every failure is the same `invalid_token`. */
export function createVerifier(options: VerifierOptions) {
  const { db, keys } = options
  const versions = versionsOf(db)
  /** Verified tokens by their text, so that each signature is verified once. */
  const knownTokens = new LRUCache<string, KnownToken>({ max: maxKnownTokens })
  const findKnown = (token: string): KnownToken | undefined => {
    const known = knownTokens.get(token)
    if (!known || isExpired(known.claims)) return undefined
    const isCurrent = isTrusted(known) ? known.isTrusted() : known.claims.iss === options.issuer()
    return isCurrent ? known : undefined
  }
  const remember = (token: string, known: KnownToken): VerifiedToken => {
    if (token.length <= maxKnownTokenLength) knownTokens.set(token, known)
    return known.verified
  }
  const checkStatus = async (token: string): Promise<VerifiedToken> => {
    const known = findKnown(token) ?? (await checkToken(options, token))
    if (isTrusted(known)) return remember(token, known)
    // Read before the status. If the status changes in between, the next request reads it again.
    const { access } = await versions.now()
    if (known.access === access) return known.verified
    const { end, ...user } = await statusOfToken(db, makeSubject(known, keys))
    if (end !== undefined) throw invalidToken(...end)
    return remember(token, { ...known, verified: limitToUser(known.claims, user), access })
  }
  const forEndpoint = (verified: VerifiedToken, endpoint: Endpoint): VerifiedToken => {
    checkEndpoint(verified, options.issuer(), endpoint)
    return verified
  }
  const verify = async (token: string, version?: Version, endpoint: Endpoint = '/graphql') => {
    const known = version && findKnown(token)
    if (known && (isTrusted(known) || known.access === version.access))
      return forEndpoint(known.verified, endpoint)
    return forEndpoint(await inSpan('check token', {}, () => checkStatus(token)), endpoint)
  }
  const recognize = async (token: string, endpoint: Endpoint = '/graphql') => {
    const known = findKnown(token)
    return known ? forEndpoint(known.verified, endpoint) : verify(token, undefined, endpoint)
  }
  const read = async (token: string) => (await checkOwnToken(options, token)).claims
  return { verify, recognize, read }
}

/** Verifies the signature of a token of any issuer, and checks its claims. */
async function checkToken(options: VerifierOptions, token: string): Promise<KnownToken> {
  const decoded = decode(options.jwt, token)
  const { iss } = decoded.payload
  const verifyTrusted = iss === options.issuer() ? undefined : options.trusted.get(iss)
  return verifyTrusted ? verifyTrusted(token) : checkOwnToken(options, token, decoded)
}

/** Throws if a token is for another endpoint, RFC 9068 §4. */
function checkEndpoint({ iss, aud }: AccessTokenClaims, issuer: string, endpoint: Endpoint): void {
  // The audience in tokens of another issuer is a setting, which was checked. For MCP, clients name the resource
  // themselves.
  if (iss !== issuer && endpoint === '/graphql') return
  const wanted = `${issuer}${endpoint}`
  if (aud !== wanted && ![aud].flat().includes(wanted)) throw invalidToken('wrong audience', 'wrong_issuer')
}
