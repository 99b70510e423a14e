import fastifyJwt, { type JWT } from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import {
  type AccessTokenClaims,
  type IssuedToken,
  isExpired,
  issueToken,
  TokenRequest,
  verifyToken
} from '../credentials/access-token.ts'
import { type KeyRing, type KeySettings, openKeyRing } from '../credentials/key-ring.ts'
import type { SigningKey } from '../credentials/signing-key.ts'
import { findClient } from '../db/accounts/clients.ts'
import { endOfToken, type TokenSubject } from '../db/accounts/token-status.ts'
import { tokenEpochOf } from '../db/accounts/users.ts'
import type { Db } from '../db/schema.ts'
import { type Version, versionsOf } from '../db/versions.ts'
import { ArgumentError, invalidToken } from '../errors.ts'
import { parseServiceOptions } from '../options.ts'
import { inSpan } from '../tracing/active.ts'
import { checkArgument } from '../validator.ts'

export type { AccessTokenClaims, IssuedToken }

declare module 'fastify' {
  interface FastifyInstance {
    productTokens: Tokens
  }
}

export interface TokensOptions extends Partial<KeySettings> {
  /** Lifetime of an access token in seconds; a day by default. */
  accessTokenTtl?: number
  /** `iss`; by default the address the server listens on, with the plugin's prefix. */
  issuer?: string
  /** Path of a private JWK set, used instead of the keys in the database. */
  signingKeysFile?: string
}

export interface Tokens {
  /**
   * Issues a signed access token; returns it with its lifetime in seconds and its identifier. Rejects with an
   * ArgumentError where a property is wrong, or the client is not in the database.
   */
  issue(grant: TokenRequest): Promise<IssuedToken>
  /** Returns the claims of a valid token. Rejects with `invalid_token`, RFC 6750 §3.1. */
  verify(token: string): Promise<AccessTokenClaims>
  /** The same; returns them at once if the token is known to be valid at that version or, with `any`, at an earlier one. */
  verify(token: string, version: Version | 'any'): AccessTokenClaims | Promise<AccessTokenClaims>
  /** Like `verify`, but also accepts a revoked token. */
  read(token: string): Promise<AccessTokenClaims>
  issuer(): string
  /** Returns the public keys as a JWK set, RFC 7517 §5. */
  jwks(): Promise<{ keys: Record<string, string>[] }>
}

/** A token whose signature and claims were right; `access` is the `Version.access` at which nothing had ended it. */
type KnownToken = Awaited<ReturnType<typeof verifyToken>> & { access?: string }

const maxKnownTokens = 10_000
/** Characters of a token that is remembered. */
const maxKnownLength = 4096

/** Issues and verifies access tokens, JWTs as in RFC 9068. Throws StartError for invalid options. */
export const tokens = fp<TokensOptions>(
  async (app, given) => {
    const settings = parseServiceOptions(given)
    const keys = await openKeyRing(app.productStore, settings, (kid, err) =>
      app.log.error({ kid, err }, 'a signing key cannot be opened: its tokens are refused')
    )
    const jwt = await registerJwt(app, await keys.current())
    const issuer = createIssuer(app, settings.issuer)
    // While it shuts down, the server has no address any more.
    app.addHook('onListen', async () => void issuer())
    const versions = versionsOf(app.productStore)
    /** By their text, so that each signature is verified once. */
    const knownTokens = new LRUCache<string, KnownToken>({ max: maxKnownTokens })
    const findKnown = (token: string) => {
      const known = knownTokens.get(token)
      return known && known.claims.iss === issuer() && !isExpired(known.claims) ? known : undefined
    }
    const check = (token: string): Promise<KnownToken> => verifyToken(jwt, keys, token, issuer())
    const checkStatus = async (token: string): Promise<AccessTokenClaims> => {
      const known = findKnown(token) ?? (await check(token))
      // Read before the status, which may change in between: it is then asked for once more.
      const { access } = await versions.now()
      if (known.access === access) return known.claims
      const end = await endOfToken(app.productStore, subjectOf(known, keys))
      if (end !== undefined) throw invalidToken(end)
      if (token.length <= maxKnownLength) knownTokens.set(token, { ...known, access })
      return known.claims
    }
    function verify(token: string): Promise<AccessTokenClaims>
    function verify(token: string, version: Version | 'any'): AccessTokenClaims | Promise<AccessTokenClaims>
    function verify(token: string, version?: Version | 'any') {
      const known = version && findKnown(token)
      if (known && (version === 'any' || known.access === version.access)) return known.claims
      return inSpan('check token', {}, () => checkStatus(token))
    }
    app.decorate('productTokens', {
      async issue(request) {
        checkArgument('productTokens.issue', TokenRequest, request)
        const subject = await resolveSubject(app.productStore, request)
        const lifetime = { issuer: issuer(), expiresIn: settings.accessTokenTtl }
        return issueToken(jwt, await keys.current(), { ...request, ...subject, ...lifetime })
      },
      verify,
      read: async token => (await check(token)).claims,
      issuer,
      jwks: async () => ({ keys: (await keys.published()).map(({ publicJwk }) => publicJwk) })
    } satisfies Tokens)
  },
  { name: 'product-tokens', fastify: '5.x', dependencies: ['product-store'] }
)

/** Tells whether `sub` is a client acting on its own behalf, a user, or a subject that only the host knows. */
async function resolveSubject(db: Db, { sub, clientId, epoch, clientEpoch: given }: TokenRequest) {
  const clientEpoch = given ?? (await findClient(db, clientId))?.tokenEpoch
  // Tokens of an unknown client would be refused.
  if (clientEpoch === undefined)
    throw new ArgumentError(`productTokens.issue: there is no client ${clientId}`)
  if (epoch !== undefined || sub === clientId) return { clientEpoch }
  const current = await tokenEpochOf(db, sub)
  return { clientEpoch, ...(current === undefined ? { external: true } : { epoch: current }) }
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

/** Registers @fastify/jwt in its own scope under private names, since the host may use it too. */
async function registerJwt(app: FastifyInstance, { privatePem, publicPem, algorithm }: SigningKey) {
  let jwt: JWT | undefined
  await app.register(async scope => {
    await scope.register(fastifyJwt, {
      // Placeholders: each call passes its key, because the ring changes while the service runs.
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
  return jwt as JWT
}

/** Creates a function that returns the issuer. The port may be known only once the server listens. */
function createIssuer(app: FastifyInstance, configured: string | undefined): () => string {
  const scheme = app.initialConfig.https ? 'https' : 'http'
  const path = app.prefix.replace(/\/$/, '')
  let known = configured
  return () => {
    if (known !== undefined) return known
    const listening = app.server.address()
    if (listening === null || typeof listening === 'string') return `${scheme}://localhost${path}`
    const host = listening.family === 'IPv6' ? `[${listening.address}]` : listening.address
    known = `${scheme}://${host}:${listening.port}${path}`
    return known
  }
}
