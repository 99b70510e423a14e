import { randomUUID } from 'node:crypto'
import fastifyJwt from '@fastify/jwt'
import { array, integer, min } from 'decoders'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createVerifier, type VerifyOptions } from '../../accounts/credentials/access-token.ts'
import { type IdTokenRequest, makeIdToken } from '../../accounts/credentials/id-token.ts'
import { type KeySettings, openKeyRing } from '../../accounts/credentials/key-ring.ts'
import type { SigningKey } from '../../accounts/credentials/signing-key.ts'
import type { AccessTokenClaims, VerifiedToken } from '../../accounts/credentials/verified-token.ts'
import { findStoredClient } from '../../db/accounts/clients.ts'
import { findUserById } from '../../db/accounts/users.ts'
import type { Db } from '../../db/schema.ts'
import { type Endpoint, endpointsOf, type Resource, type WantedEndpoint } from '../../domain/rights.ts'
import { loadParts } from '../../features/load.ts'
import {
  type FeatureSettings,
  parseServiceOptions,
  type ServiceOptions,
  type ServiceSettings
} from '../../options/index.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import { checkArgument, matches, nonEmptyText, optional, type Shaped } from '../../runtime/validator.ts'
import { createIssuer } from './issuer.ts'

export type { AccessTokenClaims, VerifiedToken }

declare module 'fastify' {
  interface FastifyInstance {
    productTokens: Tokens
  }
}

export type TokensOptions = Partial<FeatureSettings> &
  Pick<ServiceOptions, 'accessTokenTtl' | 'issuer' | 'signingKeysFile' | keyof KeySettings>

export interface Tokens {
  /**
   * Issues a signed access token. Returns it with its lifetime in seconds and its identifier. Rejects with an
   * ArgumentError if a property is wrong, or if the client is not in the database.
   */
  issue(request: TokenRequest): Promise<IssuedToken>
  /** Like `issue`, but without any check, for a client and a subject that the caller has read with their epochs. */
  sign(request: CheckedTokenRequest): Promise<IssuedToken>
  /** Issues an ID token, OpenID Connect Core 1.0 §2, without any check. */
  signIdToken(request: IdTokenRequest): Promise<string>
  /**
   * Returns the claims of a valid token for an endpoint, by default `/graphql`. The token may be of a trusted issuer.
   * Rejects with `invalid_token`, RFC 6750 §3.1, or with an ArgumentError if the endpoint is neither a path nor `any`.
   * Reads nothing for a token that is known to be valid at `version`.
   */
  verify(token: string, options?: VerifyOptions): Promise<VerifiedToken>
  /** Like `verify`, but reads nothing for a token that was valid before, although it may have been revoked since. */
  verifyFromCache(token: string, endpoint?: WantedEndpoint): Promise<VerifiedToken>
  /** Like `verify`, but only for tokens of this service, and also for revoked ones. */
  read(token: string): Promise<AccessTokenClaims>
  /** The endpoints that tokens are for. The routes add theirs. @internal */
  endpoints: Set<Endpoint>
  issuer(): string
  /** Returns the public keys as a JWK set, RFC 7517 §5. */
  jwks(): Promise<{ keys: Record<string, string>[] }>
}

export interface IssuedToken {
  accessToken: string
  expiresIn: number
  jti: string
}

const notEmpty = 'a non-empty string'
const epoch = optional(min(0, integer)).describe('an integer from 0')

/** Subject, client and scopes of a new token. */
const TokenRequest = {
  sub: nonEmptyText.describe(notEmpty),
  /** Id of a client in the database. */
  clientId: nonEmptyText.describe(notEmpty),
  /** Scope tokens, RFC 6749 §3.3. */
  scopes: array(matches(/^[\x21\x23-\x5B\x5D-\x7E]+$/)).describe('an array of scope tokens'),
  /** Id of its family of refresh tokens. */
  sid: optional(nonEmptyText).describe(notEmpty),
  /** `tokenEpoch` of the user at authentication; a client has none. */
  epoch,
  /** `tokenEpoch` of the client at authentication. */
  clientEpoch: epoch
}
type TokenRequest = Shaped<typeof TokenRequest>

/** A request whose client and subject are known. `external` means that only the host knows the subject. */
type CheckedTokenRequest = TokenRequest & {
  clientEpoch: number
  external?: boolean
  resource?: Resource | null
}

/** Issues and verifies access tokens, JWTs as in RFC 9068. Throws StartError for invalid options. */
export const tokens = fp<TokensOptions>(
  async (app, given) => {
    const settings = parseServiceOptions(given)
    const keys = await openKeyRing(app.productStore, settings, (kid, err) =>
      app.log.error({ kid, err }, 'a signing key cannot be opened: its tokens are refused')
    )
    const trusted = await openVerifiers(app, settings)
    const endpoints = new Set<Endpoint>(['/graphql'])
    const jwt = await registerJwt(app, await keys.current())
    const issuer = createIssuer(app, settings.issuer)
    const signAs = async (typ: string, claimsFor: (algorithm: SigningKey['algorithm']) => object) => {
      const { kid, algorithm, privatePem: key } = await keys.current()
      return jwt.sign(claimsFor(algorithm), { key, algorithm, kid, header: { alg: algorithm, typ } })
    }
    const sign: Tokens['sign'] = async request => {
      const claims = toClaims(request, { iss: issuer(), lifetime: settings.accessTokenTtl, endpoints })
      const accessToken = await signAs('at+jwt', () => claims)
      return { accessToken, expiresIn: settings.accessTokenTtl, jti: claims.jti }
    }
    app.decorate('productTokens', {
      async issue(request) {
        checkArgument('productTokens.issue', TokenRequest, request)
        return sign(await resolveSubject(app.productStore, request))
      },
      sign,
      signIdToken: request => signAs('JWT', algorithm => makeIdToken(request, issuer(), algorithm)),
      ...createVerifier({ db: app.productStore, jwt, keys, issuer, trusted }),
      endpoints,
      issuer,
      jwks: async () => ({ keys: (await keys.published()).map(({ publicJwk }) => publicJwk) })
    } satisfies Tokens)
  },
  { name: 'product-tokens', fastify: '5.x', dependencies: ['product-store'] }
)

/** Makes the verifiers of other issuers' tokens, by `iss`. */
async function openVerifiers(app: FastifyInstance, settings: ServiceSettings) {
  const makers = await loadParts('makeVerifiers', settings)
  const made = await Promise.all(makers.map(makeVerifiers => makeVerifiers(app, settings)))
  return new Map(made.flatMap(byIssuer => [...byIssuer]))
}

/** Makes the claims of a new token; `lifetime` is in seconds, `endpoints` are all that tokens are for. */
function toClaims(
  { sub, clientId, scopes, resource, sid, epoch, clientEpoch, external }: CheckedTokenRequest,
  { iss, lifetime, endpoints }: { iss: string; lifetime: number; endpoints: Set<Endpoint> }
): AccessTokenClaims {
  const iat = Math.floor(Date.now() / 1000)
  // RFC 9068 §2.2.
  const audiences = endpointsOf(resource ?? null, [...endpoints]).map(endpoint => `${iss}${endpoint}`)
  return {
    iss,
    sub,
    aud: audiences.length > 1 ? audiences : (audiences[0] as string),
    client_id: clientId,
    iat,
    exp: iat + lifetime,
    jti: randomUUID(),
    scope: scopes.join(' '),
    ...(sid && { sid }),
    ...(epoch && { epoch }),
    ...(clientEpoch && { client_epoch: clientEpoch }),
    ...(external && { external })
  }
}

/** Finds out whether `sub` is the client itself, a user, or a subject that only the host knows. */
async function resolveSubject(db: Db, request: TokenRequest): Promise<CheckedTokenRequest> {
  const { sub, clientId, epoch } = request
  const clientEpoch = request.clientEpoch ?? (await findStoredClient(db, clientId))?.tokenEpoch
  // The service would refuse tokens of an unknown client.
  if (clientEpoch === undefined)
    throw new ArgumentError(`productTokens.issue: there is no client ${clientId}`)
  const known = { ...request, clientEpoch }
  if (epoch !== undefined || sub === clientId) return known
  const user = await findUserById(db, sub)
  return { ...known, ...(user ? { epoch: user.tokenEpoch } : { external: true }) }
}

/** Registers @fastify/jwt in its own scope under private names, since the host may use it too. */
async function registerJwt(app: FastifyInstance, { privatePem, publicPem, algorithm }: SigningKey) {
  let scope = app
  await app.register(async ownScope => {
    await ownScope.register(fastifyJwt, {
      // Placeholders: each call passes its key, because the ring changes while the service runs.
      secret: { private: privatePem, public: publicPem },
      sign: { algorithm },
      verify: { algorithms: [algorithm], checkTyp: 'at+jwt' },
      decoratorName: 'productJwt',
      jwtSign: 'productJwtSign',
      jwtVerify: 'productJwtVerify',
      jwtDecode: 'productJwtDecode'
    })
    scope = ownScope
  })
  return scope.jwt
}
