import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { clockSkewSeconds } from '../db/timestamp.ts'
import { invalidToken } from '../errors.ts'
import type { KeyRing } from './key-ring.ts'
import type { SigningKey } from './signing-key.ts'

/** What @fastify/jwt decorates its scope with. */
export type JsonWebTokens = FastifyInstance['jwt']

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
  /** Id of the family of refresh tokens it belongs to. */
  sid: Type.Optional(Type.String()),
  /** `tokenEpoch` of the user it is for, when it was issued; 0 when it is not there. */
  epoch: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Whether the subject is neither a user nor a client of the store: only the host knows it. */
  external: Type.Optional(Type.Boolean())
})
export type AccessTokenClaims = Static<typeof AccessTokenClaims>
const claimsValidator = Compile(AccessTokenClaims)

/** Whom a token is for, and what it may do. */
export interface TokenRequest {
  sub: string
  clientId: string
  scopes: string[]
  /** Id of the family of refresh tokens it belongs to. */
  sid?: string
  /** `tokenEpoch` of the user when `sub` was authenticated; a client has none. */
  epoch?: number | undefined
}

export interface IssuedToken {
  accessToken: string
  expiresIn: number
  jti: string
}

/** A signed access token, its lifetime (`expiresIn`, in seconds) and its identifier. */
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
      ...(external && { external })
    },
    { key: privatePem, algorithm, kid, header: { alg: algorithm, typ: 'at+jwt' } }
  )
  return { accessToken, expiresIn, jti }
}

/** Whatever is wrong with it, the caller hears the same; the reason is for the log. */
export async function verifySignature(
  jwt: JsonWebTokens,
  keys: KeyRing,
  token: string
): Promise<{ claims: unknown; kid: string }> {
  // One token has one spelling, RFC 7515 §2: the last character has bits that would not count.
  if (!token.split('.').every(isCanonical)) throw invalidToken('not canonical base64url')
  const key = await keys.find(keyId(jwt, token))
  if (!key) throw invalidToken('unknown key')
  try {
    const claims = jwt.verify(token, { key: key.publicPem, algorithms: [key.algorithm] })
    return { claims, kid: key.kid }
  } catch (error) {
    throw invalidToken((error as Error).message)
  }
}

const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part

function keyId(jwt: JsonWebTokens, token: string): string {
  try {
    const { header } = jwt.decode(token, { complete: true }) as unknown as { header: { kid?: unknown } }
    return String(header.kid)
  } catch {
    throw invalidToken('no JWT')
  }
}

/** The claims, if they are of our issuer, for our endpoint, and of this time. */
export function checkClaims(claims: unknown, issuer: string): AccessTokenClaims {
  if (!claimsValidator.Check(claims)) throw invalidToken('a claim is missing or of the wrong type')
  if (claims.iss !== issuer) throw invalidToken('another issuer')
  if (![claims.aud].flat().includes(audienceOf(issuer))) throw invalidToken('another audience')
  if (claims.iat - clockSkewSeconds > Date.now() / 1000) throw invalidToken('issued in the future')
  // "on or after": at the very second it is over, RFC 7519 §4.1.4.
  if (claims.exp * 1000 <= Date.now()) throw invalidToken('expired')
  return claims
}

/** The resource the tokens are for, RFC 9068 §2.2: our GraphQL endpoint. */
const audienceOf = (issuer: string): string => `${issuer}/graphql`
