import { array, exact, oneOf, sized } from 'decoders'
import type { Configuration } from 'openid-client'
import { readRule } from '../../db/templates/rule.ts'
import { roles } from '../../domain/rights.ts'
import { invalidGrant, unavailable } from '../../runtime/errors.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import { isSecureUrl } from '../../runtime/outgoing.ts'
import { importOptional, missingPackage } from '../../runtime/package/optional-package.ts'
import {
  anyObject,
  checkArgument,
  limited,
  matches,
  nonEmptyText,
  optional,
  type Shaped
} from '../../runtime/validator.ts'
import { readJsonList } from '../json-setting.ts'

const text = limited(nonEmptyText, 1000)
const texts = optional(sized(array(nonEmptyText), { min: 1 }))

/** The conditions for adding an account at the first login. All given conditions must hold. */
const Creation = exact({
  /** The provider must have verified the e-mail address, and its domain must be one of these. */
  domains: texts,
  /** The claim that must have one of `values`. */
  claim: optional(text),
  values: texts,
  /** The role of a new user. Administrators cannot be created this way. */
  role: optional(oneOf(roles.filter(role => role !== 'admin'))),
  /** The templates that a new user may see and write; all by default. */
  where: optional(anyObject)
})

/** An OpenID provider on the login page, with the names of OpenID Connect. */
const LoginProvider = {
  /** The id in the form of the login page and in the redirect URI. */
  id: matches(/^[a-z0-9-]{1,30}$/).describe('1 to 30 of a-z, 0-9 and -'),
  /** The name on the login page. */
  name: limited(text, 100).describe('a text of at most 100 characters'),
  issuer: text.refine(isSecureUrl, '').describe('an https URL'),
  client_id: text.describe('a text'),
  client_secret: text.describe('a text'),
  /** The scopes besides `openid`. */
  scope: optional(text).describe('a text'),
  create: optional(Creation).describe(
    'an object with domains, or claim and values, and optionally role and where'
  )
}
export type LoginProvider = Shaped<typeof LoginProvider>

const setting = { name: 'LOGIN_PROVIDERS', code: 'PTS_BAD_PROVIDERS' } as const

/** Reads LOGIN_PROVIDERS. Throws StartError if an entry is wrong. */
export const readLoginProviders = (given: string | undefined): Promise<LoginProvider[]> =>
  readJsonList(setting, given, checkEntry, ['id', 'issuer'])

/**
 * Opens the providers of LOGIN_PROVIDERS. Throws StartError if an entry is wrong, or if there are providers and
 * openid-client is not installed.
 */
export async function openLoginProviders(given: string | undefined): Promise<ProviderClient[]> {
  const providers = await readLoginProviders(given)
  if (providers.length === 0) return []
  const missing = missingPackage(setting.name, 'openid-client', setting.code)
  const openid = await importOptional(() => import('openid-client'), missing)
  return providers.map(provider => new ProviderClient(provider, openid))
}

function checkEntry(given: unknown, what: string): LoginProvider {
  const entry = checkArgument(what, LoginProvider, given)
  const { domains, claim, values, where } = entry.create ?? {}
  if (where) readRule(where, `${what}: create.where`)
  if ((claim === undefined) !== (values === undefined))
    throw new ArgumentError(`${what}: create.claim and create.values belong together`)
  if (entry.create && domains === undefined && claim === undefined)
    throw new ArgumentError(
      `${what}: create needs domains or a claim; otherwise anybody could create an account`
    )
  return entry
}

/** The values that are checked when the browser comes back from a provider. */
interface LoginChecks {
  state: string
  nonce: string
  /** The PKCE verifier, RFC 7636 §4.1. */
  verifier: string
}

/** The claims of an ID token, and further claims of the userinfo endpoint. */
export type ProviderClaims = Record<string, unknown> & { iss: string; sub: string }

type Library = typeof import('openid-client')

/** Seconds that a provider may take to respond. */
const answerTimeoutSeconds = 5

/** Logs users in at a provider, OpenID Connect Core 1.0 §3.1. The first login fetches the metadata of the provider. */
export class ProviderClient {
  readonly provider: LoginProvider
  readonly #openid: Library
  #configuration: Promise<Configuration> | undefined

  constructor(provider: LoginProvider, openid: Library) {
    this.provider = provider
    this.#openid = openid
  }

  /** Makes the URL of the provider's login page. Rejects with `unavailable` if the provider does not respond. */
  async begin(redirectUri: string, more: { prompt?: string; max_age?: string }) {
    const openid = this.#openid
    const configuration = await this.#discover()
    const verifier = openid.randomPKCECodeVerifier()
    const checks: LoginChecks = { state: openid.randomState(), nonce: openid.randomNonce(), verifier }
    const url = openid.buildAuthorizationUrl(configuration, {
      ...more,
      redirect_uri: redirectUri,
      scope: `openid ${this.provider.scope ?? 'profile email'}`,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256'
    })
    return { url, ...checks }
  }

  /**
   * Exchanges the code in `url`, to which the provider has redirected, and checks the ID token. The login must be at
   * most `maxAge` seconds old. Rejects with `invalid_grant` if the response or the token is wrong, with `unavailable`
   * if the provider does not respond.
   */
  async finish(url: URL, { state, nonce, verifier }: LoginChecks, maxAge?: number): Promise<ProviderClaims> {
    const openid = this.#openid
    const configuration = await this.#discover()
    try {
      const tokens = await openid.authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
        ...(maxAge !== undefined && { maxAge })
      })
      const claims = tokens.claims() as ProviderClaims
      const isComplete = ['email', this.provider.create?.claim].every(name => !name || name in claims)
      if (isComplete || !configuration.serverMetadata().userinfo_endpoint) return claims
      const more = openid.fetchUserInfo(configuration, tokens.access_token, claims.sub).catch(error => {
        // A user who has an account needs no other claims.
        if (typeof claims.email === 'string') return {}
        throw error
      })
      return { ...(await more), ...claims }
    } catch (error) {
      const { message, code = '', error: reason = '' } = error as Error & { code?: string; error?: string }
      if (isOutage(error)) throw unavailable(error, 'other')
      throw invalidGrant(`${this.provider.id}: ${[message, code, reason].join(' ')}`)
    }
  }

  async #discover(): Promise<Configuration> {
    const { issuer, client_id: id, client_secret: secret } = this.provider
    const openid = this.#openid
    const isPlain = issuer.startsWith('http:')
    this.#configuration ??= openid.discovery(new URL(issuer), id, secret, openid.ClientSecretBasic(secret), {
      timeout: answerTimeoutSeconds,
      // `isSecureUrl` has allowed http on this machine only.
      execute: [openid.enableNonRepudiationChecks, ...(isPlain ? [openid.allowInsecureRequests] : [])]
    })
    try {
      const configuration = await this.#configuration
      const { issuer: found } = configuration.serverMetadata()
      // For some well-known providers, the library accepts other issuers. Then the tenant of anybody would be
      // accepted.
      if (found !== issuer) throw new Error(`the provider calls itself ${found}, not ${issuer}`)
      return configuration
    } catch (error) {
      this.#configuration = undefined
      throw unavailable(error, 'other')
    }
  }
}

/** Whether an error is a failure of the network or of the provider, and not a refusal. */
function isOutage(error: unknown): boolean {
  const {
    code = '',
    status = 0,
    cause
  } = error as { code?: string; status?: number; cause?: { status?: number } }
  if (error instanceof TypeError || /^OAUTH_(TIMEOUT|PARSE_ERROR)$/.test(code)) return true
  return (status || (cause?.status ?? 0)) >= 500
}
