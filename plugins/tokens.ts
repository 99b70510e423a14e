import { randomUUID } from 'node:crypto'
import fastifyJwt from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type KeyRing, openKeyRing } from '../credentials/key-ring.ts'
import type { KeySettings } from '../credentials/key-store.ts'
import type { SigningKey } from '../credentials/signing-key.ts'
import { endOfToken } from '../db/repositories/token-status.ts'
import { invalidToken } from '../errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productTokens: Tokens
  }
}

export interface TokensOptions extends Partial<KeySettings> {
  /** Seconds an access token stays valid. */
  accessTokenTtl: number
  /** `iss`; without it the address the server listens on, with the plugin's prefix. */
  issuer?: string
  /** A private JWK set instead of the keys of the database. */
  signingKeysFile?: string
}

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
  sid: Type.Optional(Type.String())
})
export type AccessTokenClaims = Static<typeof AccessTokenClaims>
const claimsValidator = Compile(AccessTokenClaims)
/** Milliseconds by which the clocks of two instances may differ. */
const clockSkew = 60_000

export interface Tokens {
  /** A signed access token, its lifetime in seconds and its identifier. */
  issue(grant: { sub: string; clientId: string; scopes: string[]; sid?: string }): Promise<IssuedToken>
  /** The claims of a token of ours that is valid now. Rejects with `invalid_token`, RFC 6750 §3.1. */
  verify(token: string): Promise<AccessTokenClaims>
  /** As `verify`, for a token that may have been revoked. */
  read(token: string): Promise<AccessTokenClaims>
  issuer(): string
  /** The public keys, RFC 7517 §5. */
  jwks(): Promise<{ keys: Record<string, string>[] }>
}

export interface IssuedToken {
  accessToken: string
  expiresIn: number
  jti: string
}

/** Access tokens as JWT, RFC 9068, signed with a key of the ring. */
export const tokens = fp<TokensOptions>(
  async (app, options) => {
    const keys = await openKeyRing(app.productStore, { signingAlgorithm: 'ES256', ...options })
    const jwt = await jsonWebTokens(app, await keys.current())
    const issuer = issuerOf(app, options.issuer)
    const read = async (token: string) => checkClaims(await verifySignature(jwt, keys, token), issuer())
    app.decorate('productTokens', {
      issue: async grant => issueToken(jwt, await keys.current(), issuer(), options.accessTokenTtl, grant),
      async verify(token) {
        const claims = await read(token)
        const end = await endOfToken(app.productStore, { ...claims, clientId: claims.client_id })
        if (end !== undefined) throw invalidToken(end)
        return claims
      },
      read,
      issuer,
      jwks: async () => ({ keys: (await keys.published()).map(({ publicJwk }) => publicJwk) })
    } satisfies Tokens)
  },
  { name: 'product-tokens', fastify: '5.x', dependencies: ['product-store'] }
)

type JsonWebTokens = FastifyInstance['jwt']

/** @fastify/jwt in a scope of its own and under private names: a host may have it too. */
async function jsonWebTokens(app: FastifyInstance, { privatePem, publicPem, algorithm }: SigningKey) {
  let jwt: JsonWebTokens | undefined
  await app.register(async scope => {
    await scope.register(fastifyJwt, {
      // Each call names its key: the ring changes while the service runs.
      secret: { private: privatePem, public: publicPem },
      sign: { algorithm },
      verify: { algorithms: [algorithm], checkTyp: 'at+jwt' },
      decoratorName: 'productJwt',
      jwtSign: 'productJwtSign',
      jwtVerify: 'productJwtVerify',
      jwtDecode: 'productJwtDecode'
    })
    jwt = scope.jwt
  })
  return jwt as JsonWebTokens
}

function issueToken(
  jwt: JsonWebTokens,
  { kid, algorithm, privatePem }: SigningKey,
  issuer: string,
  expiresIn: number,
  { sub, clientId, scopes, sid }: Parameters<Tokens['issue']>[0]
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
    { ...claims, scope: scopes.join(' '), ...(sid && { sid }) },
    { key: privatePem, algorithm, kid, header: { alg: algorithm, typ: 'at+jwt' } }
  )
  return { accessToken, expiresIn, jti }
}

/** Whatever is wrong with it, the caller hears the same; the reason is for the log. */
async function verifySignature(jwt: JsonWebTokens, keys: KeyRing, token: string): Promise<unknown> {
  // One token has one spelling, RFC 7515 §2: the last character has bits that would not count.
  if (!token.split('.').every(isCanonical)) throw invalidToken('not canonical base64url')
  const key = await keys.find(keyId(jwt, token))
  if (!key) throw invalidToken('unknown key')
  try {
    return jwt.verify(token, { key: key.publicPem, algorithms: [key.algorithm] })
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

function checkClaims(claims: unknown, issuer: string): AccessTokenClaims {
  if (!claimsValidator.Check(claims)) throw invalidToken('a claim is missing or of the wrong type')
  if (claims.iss !== issuer) throw invalidToken('another issuer')
  if (![claims.aud].flat().includes(audienceOf(issuer))) throw invalidToken('another audience')
  if (claims.iat * 1000 > Date.now() + clockSkew) throw invalidToken('issued in the future')
  // "on or after": at the very second it is over, RFC 7519 §4.1.4.
  if (claims.exp * 1000 <= Date.now()) throw invalidToken('expired')
  return claims
}

/** The resource the tokens are for, RFC 9068 §2.2: our GraphQL endpoint. */
const audienceOf = (issuer: string): string => `${issuer}/graphql`

/** The port may be known only once the server listens, so the address is asked for at each use until then. */
function issuerOf(app: FastifyInstance, configured: string | undefined): () => string {
  const scheme = app.initialConfig.https ? 'https' : 'http'
  let known = configured
  return () => {
    if (known !== undefined) return known
    const listening = app.server.address()
    if (listening === null || typeof listening === 'string') return `${scheme}://localhost${app.prefix}`
    const host = listening.family === 'IPv6' ? `[${listening.address}]` : listening.address
    known = `${scheme}://${host}:${listening.port}${app.prefix}`
    return known
  }
}
