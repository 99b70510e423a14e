import { readFileSync } from 'node:fs'
import type { RegisterOptions } from 'fastify'
import type { Static } from 'typebox'
import { defaultPasswordCost } from './credentials/password.ts'
import type { AnyDb } from './db/schema.ts'
import { defaultMaxDataSize } from './db/templates/validation/max-data-size.ts'
import { databaseUrlForm, defaultDatabase, isDatabaseUrl, isInMemory, postgresDefaults } from './db/url.ts'
import {
  checkSettings,
  findUnknownNames,
  isKysely,
  isNetworkList,
  isTypo,
  type OptionNames,
  type SettingEntry
} from './options-check.ts'
import type { DocumentedOptions } from './options-documented.ts'
import { Type } from './setting-types.ts'

/**
 * All settings of the service. Each entry is the type, the check, the default and the documentation of a setting;
 * `env` names its environment variable. The value of a `secret` is never printed.
 */
const serviceSettings = {
  database: Type.Refine(
    Type.String({
      env: 'DATABASE_URL',
      secret: true,
      default: defaultDatabase,
      expected: databaseUrlForm,
      description: 'URL of the database: `sqlite:<path>`, `sqlite::memory:` or `postgres://…`'
    }),
    isDatabaseUrl
  ),
  databasePoolSize: Type.Integer({
    env: 'DATABASE_POOL_SIZE',
    default: postgresDefaults.databasePoolSize,
    minimum: 1,
    maximum: 1000,
    description: 'maximum number of PostgreSQL connections; divided among WORKERS'
  }),
  databaseConnectTimeout: Type.Integer({
    env: 'DATABASE_CONNECT_TIMEOUT',
    default: postgresDefaults.databaseConnectTimeout,
    minimum: 1,
    maximum: 300,
    description: 'timeout in seconds for getting a PostgreSQL connection, new or from the pool'
  }),
  databaseQueryTimeout: Type.Integer({
    env: 'DATABASE_QUERY_TIMEOUT',
    default: postgresDefaults.databaseQueryTimeout,
    minimum: 1,
    maximum: 3600,
    description: 'timeout in seconds for a PostgreSQL query; a query waits half of that for a lock'
  }),
  databaseStartTimeout: Type.Integer({
    env: 'DATABASE_START_TIMEOUT',
    default: postgresDefaults.databaseStartTimeout,
    minimum: 0,
    maximum: 3600,
    description: 'seconds to keep trying to reach PostgreSQL at startup'
  }),
  databasePreparedStatements: Type.Boolean({
    env: 'DATABASE_PREPARED_STATEMENTS',
    default: postgresDefaults.databasePreparedStatements,
    description:
      'prepare the short, frequent PostgreSQL statements once per connection; `false` for old poolers'
  }),
  issuer: Type.Optional(
    Type.String({
      env: 'ISSUER',
      pattern: '^https?://[^/?#\\s]+(/[^?#\\s]*[^/?#\\s])?$',
      expected: 'an http(s) URL without query, fragment or trailing slash',
      description: '`iss` of the tokens; defaults to the address the service listens on'
    })
  ),
  accessTokenTtl: Type.Integer({
    env: 'ACCESS_TOKEN_TTL',
    default: 86_400,
    minimum: 1,
    maximum: 31_536_000,
    description: 'access token lifetime in seconds'
  }),
  refreshTokenTtl: Type.Integer({
    env: 'REFRESH_TOKEN_TTL',
    default: 2_592_000,
    minimum: 1,
    maximum: 31_536_000,
    description: 'login lifetime in seconds; refreshing does not extend it'
  }),
  refreshTokenGrace: Type.Integer({
    env: 'REFRESH_TOKEN_GRACE',
    default: 5,
    minimum: 0,
    maximum: 60,
    description:
      'grace period in seconds in which reusing a refresh token is refused without revoking the login'
  }),
  signingAlgorithm: Type.Enum(['ES256', 'RS256', 'EdDSA'], {
    env: 'SIGNING_ALGORITHM',
    default: 'ES256',
    description: 'algorithm of new signing keys'
  }),
  signingKeyMaxAge: Type.Integer({
    env: 'SIGNING_KEY_MAX_AGE',
    default: 0,
    minimum: 0,
    maximum: 315_360_000,
    description: 'age in seconds at which the signing key is rotated automatically; 0 for never'
  }),
  signingKeysFile: Type.Optional(
    Type.String({
      env: 'SIGNING_KEYS_FILE',
      minLength: 1,
      expected: 'a path',
      description:
        'file with a private JWK set, used instead of the keys in the database; the first key signs'
    })
  ),
  keyEncryptionSecret: Type.Optional(
    Type.String({
      env: 'KEY_ENCRYPTION_SECRET',
      secret: true,
      minLength: 16,
      expected: 'a string of at least 16 characters',
      description: 'secret that encrypts the private keys in the database'
    })
  ),
  addressLimit: Type.Integer({
    env: 'ADDRESS_LIMIT',
    default: 600,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'requests per minute from one address to the OAuth endpoints; WORKERS count together; 0 for no limit'
  }),
  clientLimit: Type.Integer({
    env: 'CLIENT_LIMIT',
    default: 6000,
    minimum: 0,
    maximum: 1_000_000,
    description: 'token requests per minute from one client; 0 for no limit'
  }),
  accountLimit: Type.Integer({
    env: 'ACCOUNT_LIMIT',
    default: 10,
    minimum: 0,
    maximum: 1_000_000,
    description: 'failed logins per account and window; 0 for no limit'
  }),
  accountWindow: Type.Integer({
    env: 'ACCOUNT_WINDOW',
    default: 900,
    minimum: 1,
    maximum: 86_400,
    description: 'length of that window in seconds; an account is locked no longer than this'
  }),
  passwordMemory: Type.Integer({
    env: 'PASSWORD_MEMORY',
    default: defaultPasswordCost.passwordMemory,
    minimum: 7_168,
    maximum: 4_194_304,
    description: 'argon2id memory for new password hashes, in KiB'
  }),
  passwordIterations: Type.Integer({
    env: 'PASSWORD_ITERATIONS',
    default: defaultPasswordCost.passwordIterations,
    minimum: 1,
    maximum: 64,
    description: 'argon2id iterations for new password hashes'
  }),
  passwordParallelism: Type.Integer({
    env: 'PASSWORD_PARALLELISM',
    default: defaultPasswordCost.passwordParallelism,
    minimum: 1,
    maximum: 64,
    description: 'argon2id parallelism for new password hashes'
  }),
  graphqlMaxDepth: Type.Integer({
    env: 'GRAPHQL_MAX_DEPTH',
    default: 15,
    minimum: 2,
    maximum: 100,
    description: 'maximum depth of fields in an operation; the full introspection query has 15'
  }),
  graphqlMaxTokens: Type.Integer({
    env: 'GRAPHQL_MAX_TOKENS',
    default: 1000,
    minimum: 50,
    maximum: 10_000,
    description: 'maximum number of tokens in a GraphQL document'
  }),
  graphqlMaxAliases: Type.Integer({
    env: 'GRAPHQL_MAX_ALIASES',
    default: 15,
    minimum: 0,
    maximum: 10_000,
    description: 'maximum number of aliases in an operation; a fragment counts each time it is spread'
  }),
  graphqlMaxDirectives: Type.Integer({
    env: 'GRAPHQL_MAX_DIRECTIVES',
    default: 8,
    minimum: 0,
    maximum: 10_000,
    description: 'maximum number of directives in an operation, counted in the same way'
  }),
  graphqlMaxSourceLength: Type.Integer({
    env: 'GRAPHQL_MAX_SOURCE_LENGTH',
    default: 16_384,
    minimum: 256,
    maximum: 65_536,
    description: 'maximum length of a GraphQL document in characters, without variables'
  }),
  graphqlMaxBodySize: Type.Integer({
    env: 'GRAPHQL_MAX_BODY_SIZE',
    default: 1_048_576,
    minimum: 1024,
    maximum: 134_217_728,
    description: 'maximum size of a GraphQL request in bytes'
  }),
  graphqlMaxResultSize: Type.Integer({
    env: 'GRAPHQL_MAX_RESULT_SIZE',
    default: 536_870_912,
    minimum: 1024,
    maximum: 536_870_912,
    description: 'maximum size of a GraphQL response in bytes'
  }),
  graphqlMaxCost: Type.Integer({
    env: 'GRAPHQL_MAX_COST',
    default: 500_000,
    minimum: 1000,
    maximum: 1_000_000_000,
    description: 'maximum cost of an operation; one unit is about 10 microseconds of one core'
  }),
  graphqlCostRate: Type.Integer({
    env: 'GRAPHQL_COST_RATE',
    default: 2_000_000,
    minimum: 0,
    maximum: 1_000_000_000,
    description:
      'cost a token may spend per second, averaged over ten seconds; per worker; 0 disables the limit'
  }),
  graphqlConcurrency: Type.Integer({
    env: 'GRAPHQL_CONCURRENCY',
    default: 8,
    minimum: 1,
    maximum: 10_000,
    description: 'operations of one token that run at the same time, per worker; further ones wait'
  }),
  graphqlTimeout: Type.Integer({
    env: 'GRAPHQL_TIMEOUT',
    default: 10,
    minimum: 1,
    maximum: 3600,
    description: 'seconds an operation may take'
  }),
  graphqlMaxPendingSize: Type.Integer({
    env: 'GRAPHQL_MAX_PENDING_SIZE',
    default: 268_435_456,
    minimum: 1024,
    maximum: 1_099_511_627_776,
    description:
      'maximum size in bytes of all GraphQL responses that are being written or sent, divided among WORKERS; one alone may be larger'
  }),
  graphqlResponseCacheSize: Type.Integer({
    env: 'GRAPHQL_RESPONSE_CACHE_SIZE',
    default: 134_217_728,
    minimum: 0,
    maximum: 1_099_511_627_776,
    description:
      'maximum size in bytes of what each worker keeps of the responses to queries: half for responses, half for the templates of long lists; 0 for nothing'
  }),
  graphqlStallTimeout: Type.Integer({
    env: 'GRAPHQL_STALL_TIMEOUT',
    default: 30,
    minimum: 1,
    maximum: 3600,
    description: 'seconds after which the connection of a client that stopped reading its response is closed'
  }),
  changesMaxStreams: Type.Integer({
    env: 'CHANGES_MAX_STREAMS',
    default: 1000,
    minimum: 1,
    maximum: 1_000_000,
    description: 'streams of changes that are open at the same time, per worker'
  }),
  changesStreamsPerToken: Type.Integer({
    env: 'CHANGES_STREAMS_PER_TOKEN',
    default: 10,
    minimum: 1,
    maximum: 1_000_000,
    description: 'streams of changes that one token may have open at the same time, per worker'
  }),
  changesHeartbeat: Type.Integer({
    env: 'CHANGES_HEARTBEAT',
    default: 15,
    minimum: 1,
    maximum: 300,
    description:
      'seconds between heartbeats on a stream of changes without events, and between checks whether its token was revoked'
  }),
  graphqlIntrospection: Type.Boolean({
    env: 'GRAPHQL_INTROSPECTION',
    default: true,
    production: false,
    expected: 'true or false',
    description: 'allow `__schema` and `__type`; `__typename` is always allowed'
  }),
  validation: Type.Enum(['enforce', 'warn', 'off'], {
    env: 'VALIDATION',
    default: 'enforce',
    description: 'what to do about a written document that does not match the JSON Schema'
  }),
  maxDataSize: Type.Integer({
    env: 'MAX_DATA_SIZE',
    default: defaultMaxDataSize,
    minimum: 1024,
    maximum: 4_194_304,
    description: 'maximum size in bytes of the document of a template that is written'
  }),
  importMaxTemplates: Type.Integer({
    env: 'IMPORT_MAX_TEMPLATES',
    default: 1000,
    minimum: 1,
    maximum: 100_000,
    description: 'maximum number of templates in one `importProducts`'
  }),
  ipfsGateway: Type.Optional(
    Type.String({
      env: 'IPFS_GATEWAY',
      pattern: '^https?://[^/?#\\s]+(/[^?#\\s]*)?$',
      expected: 'an http(s) URL without query or fragment',
      description: 'gateway for the IPFS links in `/metadata`: `<gateway>/<content id>`; unchanged if absent'
    })
  )
}

const processSettings = {
  host: Type.String({
    env: 'HOST',
    default: '127.0.0.1',
    minLength: 1,
    expected: 'a host name or an address',
    description: 'host name or address to listen on'
  }),
  port: Type.Integer({
    env: 'PORT',
    default: 3000,
    minimum: 0,
    maximum: 65_535,
    description: 'port to listen on; 0 picks a free port, which the log shows'
  }),
  socketPath: Type.Optional(
    Type.String({
      env: 'SOCKET_PATH',
      minLength: 1,
      maxLength: 107,
      expected: 'a path of at most 107 characters',
      description: 'Unix domain socket to listen on instead of a port'
    })
  ),
  workers: Type.Integer({
    env: 'WORKERS',
    default: 1,
    minimum: 1,
    maximum: 64,
    description: 'worker processes that serve the port or the socket together; 1 for a single process'
  }),
  trustProxy: Type.Optional(
    Type.Refine(
      Type.String({
        env: 'TRUST_PROXY',
        expected: 'a list of addresses and networks, such as `loopback, 10.0.0.0/8`',
        description:
          'addresses and networks of the proxies whose X-Forwarded-For is trusted; with SOCKET_PATH, also the peer'
      }),
      isNetworkList
    )
  ),
  logLevel: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    env: 'LOG_LEVEL',
    default: 'info',
    description: 'pino log level; JSON lines on stdout, pretty-printed on a terminal'
  }),
  environment: Type.Optional(
    Type.String({
      env: 'NODE_ENV',
      description: '`production` disables demo data and, by default, introspection'
    })
  )
}

const ServiceSettings = Type.Object(serviceSettings)
/** Settings of the process: those of the service, plus where to listen and what to log. */
export const ProcessSettings = Type.Object({ ...serviceSettings, ...processSettings })

export type ServiceSettings = Static<typeof ServiceSettings>
export type ProcessSettings = Static<typeof ProcessSettings>

/** Options of `app.register(productTemplates, …)`; all are optional. */
export interface ServiceOptions extends DocumentedOptions {
  /** The host's own Kysely instance, used instead of `database`. The host closes it. */
  db?: AnyDb
}

/** Picks the settings of the service from those of the process. */
export function pickServiceSettings(settings: ProcessSettings): ServiceSettings {
  const names = Object.keys(serviceSettings)
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => names.includes(name))
  ) as ServiceSettings
}

/** Lists the settings that are options of the plugin. */
export const serviceSettingEntries = (): [option: string, entry: SettingEntry][] =>
  settingEntries().filter(([option]) => Object.hasOwn(serviceSettings, option))

/** Lists every setting with the name of its option, in the order of the documentation. */
export const settingEntries = (): [option: string, entry: SettingEntry][] =>
  Object.entries(ProcessSettings.properties) as unknown as [string, SettingEntry][]

/** Checks the options of the plugin. Throws a StartError that reports all problems at once. */
export function parseServiceOptions(
  given: ServiceOptions & RegisterOptions
): ServiceSettings & { db?: AnyDb } {
  // Fastify passes its own `register` options along.
  const { db, prefix: _prefix, logLevel: _level, logSerializers: _serializers, ...settings } = given
  const names: OptionNames = Object.fromEntries(Object.keys(serviceSettings).map(name => [name, name]))
  const problems = findUnknownNames(Object.keys(settings), Object.keys(names))
  if (db !== undefined && !isKysely(db)) problems.push('db must be a Kysely instance')
  const parsed = checkSettings(ServiceSettings, settings, names, problems)
  return db === undefined ? parsed : { ...parsed, db }
}

/**
 * Reads the settings from the environment; nothing else reads it. `NAME_FILE` may give the path of a file with the
 * secret `NAME`. Throws a StartError that reports all problems at once.
 */
export function optionsFromEnv(env: NodeJS.ProcessEnv): ProcessSettings {
  const problems: string[] = []
  const given: Record<string, unknown> = {}
  const names: OptionNames = {}
  for (const [option, entry] of settingEntries()) {
    names[option] = entry.env
    const text = entry.secret ? readSecret(env, entry.env, problems) : env[entry.env]
    if (text) given[option] = parseValue(entry, text)
    else if (env.NODE_ENV === 'production' && 'production' in entry) given[option] = entry.production
  }
  if (Number(given.workers) > 1 && isInMemory(String(given.database)))
    problems.push('WORKERS must be 1 for a database in memory: each worker would have its own')
  // A short name is often close to another program's variable, and an empty variable counts as absent.
  const known = Object.values(names).filter(name => name.length >= 8)
  const near = Object.keys(env).filter(
    name => env[name] && !Object.values(names).includes(name) && known.some(other => isTypo(name, other))
  )
  return checkSettings(ProcessSettings, given, names, [...problems, ...findUnknownNames(near, known)])
}

/** Converts a variable to the type of its setting. A text of another type stays as it is; the check refuses it. */
function parseValue({ type }: SettingEntry, text: string): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

function readSecret(env: NodeJS.ProcessEnv, name: string, problems: string[]): string | undefined {
  const file = env[`${name}_FILE`]
  if (file === undefined || file === '') return env[name]
  if (env[name]) problems.push(`${name} and ${name}_FILE are both set: keep one`)
  try {
    const text = readFileSync(file, 'utf8').trim()
    // Probably a failed mount. Starting without the secret would store keys unencrypted.
    if (text === '') problems.push(`${name}_FILE is empty: ${file}`)
    return text
  } catch (error) {
    problems.push(`${name}_FILE cannot be read (${(error as NodeJS.ErrnoException).code}): ${file}`)
    return undefined
  }
}
