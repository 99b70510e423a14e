import { databaseUrlForm, defaultDatabase, isDatabaseUrl, isPostgres, postgresDefaults } from '../db/url.ts'
import { defaultMaxDataSize } from '../domain/columns.ts'
import { toEntries, toNames } from '../runtime/lists.ts'
import { boolean, choice, integer, isNetwork, path, text } from './setting.ts'

/** Cost of a password hash: the memory of argon2id in KiB. */
export interface PasswordCost {
  passwordMemory: number
}

/** OWASP's first recommendation for argon2id, in KiB. */
export const defaultPasswordCost: PasswordCost = { passwordMemory: 47_104 }

const encryptionSecret = (description: string) =>
  text(secret => [...secret].length >= 16, 'a string of at least 16 characters').describe(description, {
    secret: true
  })

/** The settings of the core, by topic. Each entry has type, check, default and documentation. */
export const coreSettings = {
  database: text(isDatabaseUrl, databaseUrlForm, defaultDatabase).describe(
    'URL of the database: `sqlite:<path>`, `sqlite::memory:` or `postgres://…`',
    { env: 'DATABASE_URL', secret: 'password' }
  ),
  databaseRead: text(
    url => isPostgres(url) && isDatabaseUrl(url),
    '`postgres://<user>:<password>@<host>,<host>/<database>`'
  ).describe('URL of a PostgreSQL replica that serves lists, pages, facets and exports; none if absent', {
    env: 'DATABASE_READ_URL',
    secret: 'password'
  }),
  databasePoolSize: integer([1, 1000], postgresDefaults.databasePoolSize).describe(
    'maximum number of PostgreSQL connections of a process; each of at most four worker threads has one more'
  ),
  databaseConnectTimeout: integer([1, 300], postgresDefaults.databaseConnectTimeout).describe(
    'timeout in seconds for getting a PostgreSQL connection, new or from the pool'
  ),
  databaseQueryTimeout: integer([1, 3600], postgresDefaults.databaseQueryTimeout).describe(
    'timeout in seconds for a PostgreSQL query; a query waits half of that for a lock'
  ),
  databaseStartTimeout: integer([0, 3600], postgresDefaults.databaseStartTimeout).describe(
    'seconds to keep trying to reach PostgreSQL at startup'
  ),

  // Tokens and signing keys.
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
  ),

  // Limits for OAuth requests, and password hashes.
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
  ),

  // Web pages and the login page.
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
  ),

  // `/graphql`.
  graphqlMaxBodySize: integer([1024, 134_217_728], 1_048_576).describe(
    'maximum size of a GraphQL request in bytes'
  ),
  graphqlMaxResultSize: integer([1024, 536_870_912], 536_870_912).describe(
    'maximum size of a GraphQL response in bytes'
  ),
  graphqlMaxCost: integer([1000, 1_000_000_000], 500_000).describe(
    'maximum requested cost of an operation, estimated before it runs; a unit is about 10 microseconds of one core'
  ),
  // This is off, because a load test may send everything with one token.
  graphqlCostRate: integer([0, 1_000_000_000], 0).describe(
    'maximum cost per second of one token, averaged over ten seconds, in each process; 0 for no limit'
  ),
  graphqlTimeout: integer([1, 3600], 10).describe('seconds an operation may take'),
  graphqlMaxPendingSize: integer([1024, 1_099_511_627_776], 268_435_456).describe(
    'maximum total size in bytes of the GraphQL responses that a process is writing or sending; all other responses have a separate limit of the same size; a single response may be larger'
  ),
  graphqlResponseCacheSize: integer([0, 1_099_511_627_776], 134_217_728).describe(
    'maximum size in bytes of the query responses that each worker process caches; 0 to cache none'
  ),
  graphqlIntrospection: boolean(true).describe(
    'allow `__schema` and `__type`; `__typename` is always allowed',
    { production: false }
  ),

  // Templates: what may be written, how they are shown, and where their links may lead.
  validation: choice(['enforce', 'warn', 'off'], 'enforce').describe(
    'how to treat a written document that does not match the JSON Schema'
  ),
  maxDataSize: integer([1024, 4_194_304], defaultMaxDataSize).describe(
    'maximum size in bytes of the document of a template that is written'
  ),
  ipfsGateway: text(
    url => /^https?:\/\/[^/?#\s]+(\/[^?#\s]*)?$/.test(url) && URL.canParse(url),
    'an http(s) URL without query or fragment'
  ).describe(
    'gateway for the IPFS links in metadata, which become `<gateway>/<content id>`; links are unchanged if absent'
  ),
  explorerFilters: text(
    list => toNames(list).length > 0,
    'names of traits, such as MadeIn, Price EUR'
  ).describe(
    'names of the traits whose filters come first in the explorer, in this order, separated by commas'
  ),
  privateNetworks: text(
    list => toEntries(list).every(entry => isNetwork(entry)),
    'networks such as 10.1.0.0/16'
  ).describe(
    'networks that the service may call although they are not public: hosts of pictures, receivers of messages, and metadata documents of clients'
  )
}

/** Settings whose defaults suit the command. Only hosts can change them: they have no variable and no flag. */
export const hostOnlySettings = {
  graphqlMaxDepth: integer([2, 100], 15).describe(
    'maximum depth of fields in an operation; the full introspection query has a depth of 15'
  ),
  graphqlMaxTokens: integer([50, 10_000], 1000).describe('maximum number of tokens in a GraphQL document'),
  graphqlMaxAliases: integer([0, 10_000], 15).describe(
    'maximum number of aliases in an operation; a fragment counts each time it is spread'
  ),
  graphqlMaxDirectives: integer([0, 10_000], 8).describe(
    'maximum number of directives in an operation; a fragment counts each time it is spread'
  ),
  graphqlMaxSourceLength: integer([256, 65_536], 16_384).describe(
    'maximum length of a GraphQL document in characters, without variables'
  ),
  graphqlStallTimeout: integer([1, 3600], 30).describe(
    'seconds after which the connection of a client that stopped reading its response is closed'
  ),
  changesMaxStreams: integer([1, 1_000_000], 1000).describe(
    'maximum number of streams of changes that are open at the same time'
  ),
  changesStreamsPerToken: integer([1, 1_000_000], 10).describe(
    'maximum number of streams of changes that one token may have open at the same time'
  ),
  changesHeartbeat: integer([1, 300], 15).describe(
    'seconds between heartbeats on a stream of changes without events'
  )
}

/** Browsers and clients compare the URL and its origin as texts, so another spelling would break every login. */
function isIssuer(url: string): boolean {
  const isBare = /^https?:\/\/[^/?#\s@]+(\/[^?#\s]*[^/?#\s])?$/.test(url)
  return isBare && URL.parse(url)?.href.replace(/\/$/, '') === url
}

/** Whether a text is a list of origins, as browsers send them, or `*`. */
function isOriginList(text: string): boolean {
  return text.trim() === '*' || text.split(',').every(part => isOrigin(part.trim()))
}

const isOrigin = (text: string): boolean =>
  /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text
