import { boolean, choice, integer, path, text } from './setting.ts'

const encryptionSecret = (description: string) =>
  text(secret => [...secret].length >= 16, 'a string of at least 16 characters').describe(description, {
    secret: true
  })

/** Settings of tokens and signing keys. */
export const tokenSettings = {
  issuer: text(
    isIssuer,
    'an http(s) URL as browsers write it, without user, query, fragment or trailing slash'
  ).describe('`iss` of the tokens; defaults to the address the service listens on'),
  accessTokenTtl: integer([1, 31_536_000], 86_400).describe('access token lifetime in seconds'),
  refreshTokenTtl: integer([1, 31_536_000], 2_592_000).describe(
    'login lifetime in seconds; refreshing does not extend it'
  ),
  signingAlgorithm: choice(['ES256', 'RS256', 'EdDSA'], 'ES256').describe('algorithm of new signing keys'),
  signingKeyMaxAge: integer([0, 315_360_000], 0).describe(
    'age in seconds at which the signing key is rotated automatically; 0 for never'
  ),
  signingKeysFile: path.describe(
    'file with a private JWK set, used instead of the keys in the database; the first key signs'
  ),
  keyEncryptionSecret: encryptionSecret('secret that encrypts the private keys in the database'),
  keyEncryptionSecretOld: encryptionSecret(
    'former secret, used only to decrypt until `product-templates keys reencrypt` has run'
  )
}

/** Browsers and clients compare the URL and its origin as texts, so another spelling would break every login. */
function isIssuer(url: string): boolean {
  const isBare = /^https?:\/\/[^/?#\s@]+(\/[^?#\s]*[^/?#\s])?$/.test(url)
  return isBare && URL.parse(url)?.href.replace(/\/$/, '') === url
}

/** Cost of a password hash: the memory of argon2id in KiB. */
export interface PasswordCost {
  passwordMemory: number
}

/** OWASP's first recommendation for argon2id, in KiB. */
export const defaultPasswordCost: PasswordCost = { passwordMemory: 47_104 }

/** Settings of the limits for OAuth requests, and of password hashes. */
export const loginSettings = {
  addressLimit: integer([0, 1_000_000], 600).describe(
    'requests per minute from one address to the OAuth endpoints, counted in the database for all processes; 0 for no limit'
  ),
  clientLimit: integer([0, 1_000_000], 6000).describe(
    'token requests per minute from one client with a secret; 0 for no limit'
  ),
  accountLimit: integer([0, 1_000_000], 10).describe(
    'failed logins per account in 15 minutes; 0 for no limit'
  ),
  passwordMemory: integer([7_168, 4_194_304], defaultPasswordCost.passwordMemory).describe(
    'argon2id memory for new password hashes, in KiB'
  )
}

/** Settings for web pages and for the login page. */
export const browserSettings = {
  passwordLogin: boolean(true).describe(
    'whether users log in with a password, on the login page and by the password grant'
  ),
  corsOrigins: text(
    isOriginList,
    'a list of origins, such as `https://app.example, http://localhost:5173`, or `*`'
  ).describe('origins whose web pages may read responses; none if absent'),
  sessionTtl: integer([60, 2_592_000], 43_200).describe(
    'seconds after which a browser has to log in again at `/oauth/authorize`'
  ),
  sessionIdleTtl: integer([60, 2_592_000], 3_600).describe(
    'seconds without use after which a browser has to log in again'
  )
}

/** Whether a text is a list of origins, as browsers send them, or `*`. */
function isOriginList(text: string): boolean {
  return text.trim() === '*' || text.split(',').every(part => isOrigin(part.trim()))
}

const isOrigin = (text: string): boolean =>
  /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text
