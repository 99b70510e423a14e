import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { JWTPayload, JWTVerifyOptions } from 'jose'
import { isEarly, isExpired, type VerifyTrusted } from '../../accounts/credentials/access-token.ts'
import {
  type KnownToken,
  splitRights,
  type VerifiedToken
} from '../../accounts/credentials/verified-token.ts'
import { readRule } from '../../db/templates/rule.ts'
import { isName, toOneLine } from '../../domain/text.ts'
import { clockSkewSeconds } from '../../domain/timestamp.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { invalidToken, unavailable } from '../../runtime/errors.ts'
import type { IssuerSettings } from './index.ts'
import { algorithms, readTrustedIssuers, type TrustedIssuer } from './issuers.ts'
import { IssuerKeys, type KeySet } from './keys.ts'

/** Makes the verifiers of trusted issuers, by `iss`. Rejects with StartError if TRUSTED_ISSUERS is wrong. */
export async function makeVerifiers(
  { log }: FastifyInstance,
  { trustedIssuers, issuer: own }: ServiceSettings & IssuerSettings
): Promise<Map<unknown, VerifyTrusted>> {
  const issuers = await readTrustedIssuers(trustedIssuers, own)
  return new Map(
    issuers.map(entry => {
      const { issuer, jwks_uri: jwksUri } = entry
      const keys = new IssuerKeys({ issuer, jwksUri }, err =>
        log.warn({ issuer, err }, 'the keys of an issuer cannot be read: the known keys stay in use')
      )
      return [issuer, token => verify(entry, keys, token)]
    })
  )
}

async function verify(entry: TrustedIssuer, keys: IssuerKeys, token: string): Promise<KnownToken> {
  const tryKeys = async (set: KeySet | undefined) => {
    const checked = set && (await checkToken(entry, set, token))
    if (!checked) return undefined
    const { verified, notBefore } = checked
    return { verified, isCurrent: () => keys.isCurrent(set) && !isEarly(notBefore) }
  }
  const set = await keys.current()
  const found = (await tryKeys(set)) ?? (set && (await tryKeys(await keys.afterMiss())))
  if (found) return found
  if (keys.hasFailed) throw unavailable(`the keys of ${entry.issuer} cannot be read`, 'unknown_key')
  throw invalidToken('unknown key', 'unknown_key')
}

/** Verifies a token by RFC 8725 and RFC 9068 §4. Returns undefined if the set does not have its key. */
async function checkToken(
  entry: TrustedIssuer,
  set: KeySet,
  token: string
): Promise<{ verified: VerifiedToken; notBefore: number | undefined } | undefined> {
  const { errors } = await import('jose')
  const { issuer, audience, typ = 'at+jwt' } = entry
  try {
    const { payload, protectedHeader } = await verifySignature(token, set, {
      issuer,
      audience,
      algorithms: entry.algorithms ?? algorithms,
      clockTolerance: clockSkewSeconds
    })
    const isAccessToken = /^(application\/)?at\+jwt$/i.test(protectedHeader.typ ?? '')
    if (!isAccessToken && (typ !== 'JWT' || !/^(JWT)?$/i.test(protectedHeader.typ ?? '')))
      throw invalidToken(`typ is ${protectedHeader.typ}`, 'malformed')
    if (!isAccessToken && isOtherToken(payload))
      throw invalidToken('the token is not an access token', 'malformed')
    return { verified: toClaims(entry, payload, token), notBefore: payload.nbf }
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return undefined
    if (error instanceof errors.JWTExpired) throw invalidToken('expired', 'expired')
    if (error instanceof errors.JWSSignatureVerificationFailed)
      throw invalidToken('wrong signature', 'wrong_signature')
    if (error instanceof errors.JWTClaimValidationFailed) throw invalidToken(error.message, 'wrong_issuer')
    // TypeError and DOMException mean that a key is malformed or too weak.
    if ([errors.JOSEError, TypeError, DOMException].some(type => error instanceof type))
      throw invalidToken((error as Error).message, 'malformed')
    throw error
  }
}

/** Maximum number of keys that are tried for a token. An issuer has a few, during a rotation. */
const maxTriedKeys = 16

/** Tries each key that matches, because a token without `kid` does not say which one signed it, RFC 7515 §4.1.4. */
async function verifySignature(token: string, set: KeySet, options: JWTVerifyOptions) {
  const { errors, jwtVerify } = await import('jose')
  const matching = await jwtVerify(token, set, options).catch(error => {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return error
    throw error
  })
  if (!(matching instanceof errors.JWKSMultipleMatchingKeys)) return matching
  let tried = 0
  for await (const key of matching) {
    const verified = await jwtVerify(token, key, options).catch(error => {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    })
    if (verified) return verified
    if (++tried === maxTriedKeys) break
  }
  throw new errors.JWSSignatureVerificationFailed()
}

/**
 * Whether the claims are those of an ID token, OpenID Connect Core 1.0 §2, or of a logout token, which has `events`,
 * RFC 8417 §2.2. Cognito marks ID tokens with `token_use`, Keycloak with `typ`.
 */
const isOtherToken = (payload: JWTPayload): boolean =>
  ['nonce', 'at_hash', 'c_hash', 'events'].some(name => name in payload) ||
  payload.token_use === 'id' ||
  payload.typ === 'ID'

/**
 * Makes the claims. Subject, client and token id begin with the issuer, so that they differ from those of this
 * service and of other issuers.
 */
function toClaims(entry: TrustedIssuer, payload: JWTPayload, token: string): VerifiedToken {
  const { issuer, subject = 'sub', scope, scopes = { claim: 'scope' } } = entry
  const client = payload.client_id ?? payload.azp ?? payload.appid ?? ''
  const named = [findClaim(payload, subject), client].map(name => {
    if (!isName(name))
      throw invalidToken('the subject or the client is absent, too long or not a text', 'malformed')
    return `${issuer}#${name}`
  })
  if (named[0] === `${issuer}#`) throw invalidToken('the subject is empty', 'malformed')
  if (typeof payload.exp !== 'number' || payload.exp === Number.POSITIVE_INFINITY)
    throw invalidToken('exp is missing', 'malformed')
  // The library allows for clock skew.
  if (isExpired({ exp: payload.exp })) throw invalidToken('expired', 'expired')
  const jti = typeof payload.jti === 'string' ? payload.jti : createHash('sha256').update(token).digest('hex')
  const granted = scope ?? mapScopes(findClaim(payload, scopes.claim), scopes.map)
  return Object.freeze({
    iss: issuer,
    sub: named[0] as string,
    aud: payload.aud as string | string[],
    client_id: named[1] as string,
    iat: payload.iat ?? 0,
    exp: payload.exp,
    jti: `${issuer}#${jti}`,
    ...splitRights(granted.split(' ')),
    role: null,
    rule: entry.where && readRule(entry.where),
    name: isName(payload.name) ? toOneLine(payload.name) : null
  })
}

/** Finds a claim by its name, or by a path such as `realm_access.roles`. */
function findClaim(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name]
  let value: unknown = payload
  for (const part of name.split('.'))
    value = Object.hasOwn(Object(value), part) ? (value as JWTPayload)[part] : undefined
  return value
}

/**
 * Reads scopes from a claim, which is a text with spaces, or a list. Without a map, `admin` is ignored, because it
 * may belong to another service.
 */
function mapScopes(claim: unknown, map: Record<string, string> | undefined): string {
  // The name of a role may have spaces. In a list, an entry is one name. A text may be one name or several.
  const values = typeof claim === 'string' ? [claim, ...claim.split(' ')] : Array.isArray(claim) ? claim : []
  const texts = values.filter(value => typeof value === 'string')
  if (map) return texts.map(value => (Object.hasOwn(map, value) ? map[value] : '')).join(' ')
  // Each text may have several scopes.
  return texts
    .flatMap(value => value.split(' '))
    .filter(name => name !== 'admin')
    .join(' ')
}
