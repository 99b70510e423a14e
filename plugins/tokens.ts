import { randomUUID, type webcrypto } from 'node:crypto'
import fastifyJwt from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { generateSigningKey, toPem, toPublicJwk } from '../credentials/signing-key.ts'
import { findSigningKey, insertSigningKey, type SigningKey } from '../db/repositories/signing-keys.ts'
import { endOfToken } from '../db/repositories/token-status.ts'
import type { Db } from '../db/schema.ts'
import { invalidToken } from '../errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productTokens: Tokens
  }
}

export interface TokensOptions {
  /** Seconds an access token stays valid. */
  accessTokenTtl: number
  /** `iss`; without it the address the server listens on, with the plugin's prefix. */
  issuer?: string
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

export interface Tokens {
  /** A signed access token, its lifetime in seconds and its identifier. */
  issue(grant: { sub: string; clientId: string; scopes: string[]; sid?: string }): IssuedToken
  /** The claims of a token of ours that is valid now. Rejects with `invalid_token`, RFC 6750 §3.1. */
  verify(token: string): Promise<AccessTokenClaims>
  /** The claims of a token of ours that has not expired, revoked or not; undefined for any other text. */
  read(token: string): AccessTokenClaims | undefined
  issuer(): string
  /** The public keys, RFC 7517 §5. */
  jwks(): { keys: webcrypto.JsonWebKey[] }
}

export interface IssuedToken {
  accessToken: string
  expiresIn: number
  jti: string
}

/** Access tokens as JWT, RFC 9068, signed with ES256 by a key that lives in the database. */
export const tokens = fp<TokensOptions>(
  async (app, options) => {
    const db = app.productStore
    const key = await loadSigningKey(db)
    const jwt = await jsonWebTokens(app, key)
    const issuer = issuerOf(app, options.issuer)
    const check = (token: string) => checkClaims(verifySignature(jwt, token), issuer())
    app.decorate('productTokens', {
      issue({ sub, clientId, scopes, sid }) {
        const jti = randomUUID()
        const iat = Math.floor(Date.now() / 1000)
        const exp = iat + options.accessTokenTtl
        const claims = { iss: issuer(), sub, aud: audienceOf(issuer()), client_id: clientId, iat, exp, jti }
        const accessToken = jwt.sign({ ...claims, scope: scopes.join(' '), ...(sid && { sid }) })
        return { accessToken, expiresIn: options.accessTokenTtl, jti }
      },
      async verify(token) {
        const claims = check(token)
        const end = await endOfToken(db, { ...claims, clientId: claims.client_id })
        if (end !== undefined) throw invalidToken(end)
        return claims
      },
      read(token) {
        try {
          return check(token)
        } catch {
          return undefined
        }
      },
      issuer,
      jwks: () => ({ keys: [toPublicJwk(key)] })
    } satisfies Tokens)
  },
  { name: 'product-tokens', fastify: '5.x', dependencies: ['product-store'] }
)

type JsonWebTokens = FastifyInstance['jwt']

/** @fastify/jwt in a scope of its own and under private names: a host may have it too. */
async function jsonWebTokens(app: FastifyInstance, key: SigningKey): Promise<JsonWebTokens> {
  let jwt: JsonWebTokens | undefined
  await app.register(async scope => {
    await scope.register(fastifyJwt, {
      secret: toPem(key),
      sign: { algorithm: key.algorithm, kid: key.id, header: { alg: key.algorithm, typ: 'at+jwt' } },
      verify: { algorithms: [key.algorithm], checkTyp: 'at+jwt' },
      decoratorName: 'productJwt',
      jwtSign: 'productJwtSign',
      jwtVerify: 'productJwtVerify',
      jwtDecode: 'productJwtDecode'
    })
    jwt = scope.jwt
  })
  return jwt as JsonWebTokens
}

async function loadSigningKey(db: Db): Promise<SigningKey> {
  const key = await findSigningKey(db)
  if (key) return key
  const made = generateSigningKey()
  return db.transaction().execute(async transaction => {
    // Another process may have been faster.
    const found = await findSigningKey(transaction)
    if (!found) await insertSigningKey(transaction, made)
    return found ?? made
  })
}

function verifySignature(jwt: JsonWebTokens, token: string): unknown {
  try {
    return jwt.verify(token)
  } catch (error) {
    throw invalidToken((error as Error).message)
  }
}

function checkClaims(claims: unknown, issuer: string): AccessTokenClaims {
  if (!claimsValidator.Check(claims)) throw invalidToken('a claim is missing or of the wrong type')
  if (claims.iss !== issuer) throw invalidToken('another issuer')
  if (![claims.aud].flat().includes(audienceOf(issuer))) throw invalidToken('another audience')
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
