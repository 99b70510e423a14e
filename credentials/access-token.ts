import { randomUUID } from 'node:crypto'
import type { JWT } from '@fastify/jwt'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { clockSkewSeconds } from '../db/timestamp.ts'
import { invalidToken } from '../errors.ts'
import type { KeyRing } from './key-ring.ts'
import type { SigningKey } from './signing-key.ts'
import type { TokenRequest } from './token-request.ts'

/** The decorator of @fastify/jwt. */
export type JsonWebTokens = JWT

/** Claims of an access token, RFC 9068 §2.2. */
const AccessTokenClaims = Type.Object({
  iss: Type.String(),
  sub: Type.String({ minLength: 1 }),
  aud: Type.Union([Type.String(), Type.Array(Type.String())]),
  client_id: Type.String({ minLength: 1 }),
  iat: Type.Integer({ minimum: 0 }),
  exp: Type.Integer({ minimum: 0 }),
  jti: Type.String({ minLength: 1 }),
  scope: Type.String(),
  /** Id of its family of refresh tokens. */
  sid: Type.Optional(Type.String()),
  /** `tokenEpoch` of the user when the token was issued; absent means 0. */
  epoch: Type.Optional(Type.Integer({ minimum: 0 })),
  /** `tokenEpoch` of the client when the token was issued; absent means 0. */
  client_epoch: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Whether only the host knows the subject: it is neither a user nor a client in the database. */
  external: Type.Optional(Type.Boolean())
})
export type AccessTokenClaims = Static<typeof AccessTokenClaims>
const claimsValidator = Compile(AccessTokenClaims)

export interface IssuedToken {
  accessToken: string
  expiresIn: number
  jti: string
}

/** Issues a signed access token; `expiresIn` is its lifetime in seconds. */
export function issueToken(
  jwt: JsonWebTokens,
  { kid, algorithm, privatePem }: SigningKey,
  {
    issuer,
    expiresIn,
    sub,
    clientId,
    scopes,
    sid,
    epoch,
    clientEpoch,
    external = false
  }: TokenRequest & { issuer: string; expiresIn: number; external?: boolean }
): IssuedToken {
  const jti = randomUUID()
  const iat = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer,
    sub,
    aud: audienceOf(issuer),
    client_id: clientId,
    iat,
    exp: iat + expiresIn,
    jti
  }
  const accessToken = jwt.sign(
    {
      ...claims,
      scope: scopes.join(' '),
      ...(sid && { sid }),
      ...(epoch && { epoch }),
      ...(clientEpoch && { client_epoch: clientEpoch }),
      ...(external && { external })
    },
    { key: privatePem, algorithm, kid, header: { alg: algorithm, typ: 'at+jwt' } }
  )
  return { accessToken, expiresIn, jti }
}

/** Verifies the signature. Every failure is the same `invalid_token` to the caller; the reason is logged. */
export async function verifySignature(
  jwt: JsonWebTokens,
  keys: KeyRing,
  token: string
): Promise<{ claims: unknown; kid: string }> {
  if (typeof token !== 'string') throw invalidToken('not a string')
  // Only canonical base64url: the unused bits of the last character would allow several spellings of a token.
  if (!token.split('.').every(isCanonical)) throw invalidToken('not canonical base64url')
  const key = await keys.find(readKeyId(jwt, token))
  if (!key) throw invalidToken('unknown key')
  try {
    const claims = jwt.verify(token, { key: key.publicPem, algorithms: [key.algorithm] })
    return { claims, kid: key.kid }
  } catch (error) {
    throw invalidToken((error as Error).message)
  }
}

const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part

function readKeyId(jwt: JsonWebTokens, token: string): string {
  try {
    const { header } = jwt.decode(token, { complete: true }) as unknown as { header: { kid?: unknown } }
    return String(header.kid)
  } catch {
    throw invalidToken('not a JWT')
  }
}

/** Checks issuer, audience and times, and returns the claims. Throws `invalid_token`. */
export function checkClaims(claims: unknown, issuer: string): AccessTokenClaims {
  if (!claimsValidator.Check(claims)) throw invalidToken('a claim is missing or of the wrong type')
  if (claims.iss !== issuer) throw invalidToken('wrong issuer')
  if (![claims.aud].flat().includes(audienceOf(issuer))) throw invalidToken('wrong audience')
  if (claims.iat - clockSkewSeconds > Date.now() / 1000) throw invalidToken('issued in the future')
  // A token is invalid "on or after" the second `exp`, RFC 7519 §4.1.4.
  if (claims.exp * 1000 <= Date.now()) throw invalidToken('expired')
  // They are kept for later requests.
  if (Array.isArray(claims.aud)) Object.freeze(claims.aud)
  return Object.freeze(claims)
}

/** The audience, RFC 9068 §2.2: the GraphQL endpoint. */
const audienceOf = (issuer: string): string => `${issuer}/graphql`
