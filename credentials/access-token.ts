import { randomUUID } from 'node:crypto'
import type { JWT } from '@fastify/jwt'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { clockSkewSeconds } from '../db/timestamp.ts'
import { invalidToken } from '../errors.ts'
import type { KeyRing } from './key-ring.ts'
import type { SigningKey } from './signing-key.ts'

const text = () => Type.String({ minLength: 1, description: 'a non-empty string' })
const epoch = () => Type.Integer({ minimum: 0, description: 'an integer from 0' })

/** Subject, client and scopes of a new token. */
export const TokenRequest = Type.Object(
  {
    sub: text(),
    /** Id of a client in the database. */
    clientId: text(),
    /** Scope tokens, RFC 6749 §3.3. */
    scopes: Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$' }), {
      description: 'an array of scope tokens'
    }),
    /** Id of its family of refresh tokens. */
    sid: Type.Optional(text()),
    /** `tokenEpoch` of the user at authentication; a client has none. */
    epoch: Type.Optional(epoch()),
    /** `tokenEpoch` of the client at authentication. */
    clientEpoch: Type.Optional(epoch())
  },
  { additionalProperties: false }
)
export type TokenRequest = Static<typeof TokenRequest>

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

/** Issues a signed access token; `expiresIn` is its lifetime in seconds. */
export function issueToken(
  jwt: JWT,
  { kid, algorithm, privatePem }: SigningKey,
  request: TokenRequest & { external?: boolean; issuer: string; expiresIn: number }
) {
  const { issuer, expiresIn, sub, clientId, scopes, sid, epoch, clientEpoch, external } = request
  const jti = randomUUID()
  const iat = Math.floor(Date.now() / 1000)
  const claims: AccessTokenClaims = {
    iss: issuer,
    sub,
    aud: audienceOf(issuer),
    client_id: clientId,
    iat,
    exp: iat + expiresIn,
    jti,
    scope: scopes.join(' '),
    ...(sid && { sid }),
    ...(epoch && { epoch }),
    ...(clientEpoch && { client_epoch: clientEpoch }),
    ...(external && { external })
  }
  const header = { alg: algorithm, typ: 'at+jwt' }
  return { accessToken: jwt.sign(claims, { key: privatePem, algorithm, kid, header }), expiresIn, jti }
}
export type IssuedToken = ReturnType<typeof issueToken>

/**
 * Verifies the signature of a token and checks its claims; returns them with the id of the key. Every failure is the
 * same `invalid_token` to the caller; the reason is logged.
 */
export async function verifyToken(jwt: JWT, keys: KeyRing, token: string, issuer: string) {
  const key = await keys.find(readKeyId(jwt, token))
  if (!key) throw invalidToken('unknown key')
  let claims: unknown
  try {
    claims = jwt.verify(token, { key: key.publicPem, algorithms: [key.algorithm] })
  } catch (error) {
    throw invalidToken((error as Error).message)
  }
  return { claims: checkClaims(claims, issuer), kid: key.kid }
}

const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part

function readKeyId(jwt: JWT, token: string): string {
  if (typeof token !== 'string') throw invalidToken('not a string')
  // Only canonical base64url: the unused bits of the last character would allow several spellings of a token.
  if (!token.split('.').every(isCanonical)) throw invalidToken('not canonical base64url')
  try {
    const { header } = jwt.decode(token, { complete: true }) as unknown as { header: { kid?: unknown } }
    return String(header.kid)
  } catch {
    throw invalidToken('not a JWT')
  }
}

/** Checks issuer, audience and times. */
function checkClaims(claims: unknown, issuer: string): AccessTokenClaims {
  if (!claimsValidator.Check(claims)) throw invalidToken('a claim is missing or of the wrong type')
  const problem =
    (claims.iss !== issuer && 'wrong issuer') ||
    (![claims.aud].flat().includes(audienceOf(issuer)) && 'wrong audience') ||
    (claims.iat - clockSkewSeconds > Date.now() / 1000 && 'issued in the future') ||
    (isExpired(claims) && 'expired')
  if (problem) throw invalidToken(problem)
  // Frozen, because the claims are cached and serve later requests.
  if (Array.isArray(claims.aud)) Object.freeze(claims.aud)
  return Object.freeze(claims)
}

/** A token is invalid "on or after" the second `exp`, RFC 7519 §4.1.4. */
export const isExpired = ({ exp }: AccessTokenClaims): boolean => exp * 1000 <= Date.now()

/** The audience, RFC 9068 §2.2: the GraphQL endpoint. */
const audienceOf = (issuer: string): string => `${issuer}/graphql`
