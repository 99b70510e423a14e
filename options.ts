import { readFileSync } from 'node:fs'
import type { RegisterOptions } from 'fastify'
import { type Static, Type } from 'typebox'
import type { AnyDb } from './db/schema.ts'
import { defaultDatabase, postgresDefaults } from './db/url.ts'
import {
  check,
  isNetworkList,
  isSlip,
  type OptionNames,
  type SettingEntry,
  unknownNames
} from './options-check.ts'

/**
 * All settings, once: each entry is the type, the check, the default and the documentation, and names
 * its environment variable in `env`. A `secret` is never printed.
 */
const serviceSettings = {
  database: Type.String({
    env: 'DATABASE_URL',
    secret: true,
    default: defaultDatabase,
    // One host: the driver would take a list of them for one name.
    pattern: '^(sqlite:.+|postgres(ql)?://([^,/?#\\s]*@)?[^,@/?#\\s]*/[^/?#\\s]+(\\?[^#\\s]*)?)$',
    expected:
      '`sqlite:<path>`, `sqlite::memory:` or `postgres://<user>:<password>@<host>/<database>` with one host',
    description: 'where the data lives: `sqlite:<path>`, `sqlite::memory:` or `postgres://…`'
  }),
  databasePoolSize: Type.Integer({
    env: 'DATABASE_POOL_SIZE',
    default: postgresDefaults.databasePoolSize,
    minimum: 1,
    maximum: 1000,
    description: 'connections to PostgreSQL at most'
  }),
  databaseConnectTimeout: Type.Integer({
    env: 'DATABASE_CONNECT_TIMEOUT',
    default: postgresDefaults.databaseConnectTimeout,
    minimum: 1,
    maximum: 300,
    description: 'seconds a request waits for a connection to PostgreSQL, a new one or a free one'
  }),
  databaseQueryTimeout: Type.Integer({
    env: 'DATABASE_QUERY_TIMEOUT',
    default: postgresDefaults.databaseQueryTimeout,
    minimum: 1,
    maximum: 3600,
    description: 'seconds a request waits for an answer of PostgreSQL'
  }),
  databaseStartTimeout: Type.Integer({
    env: 'DATABASE_START_TIMEOUT',
    default: postgresDefaults.databaseStartTimeout,
    minimum: 0,
    maximum: 3600,
    description: 'seconds to try to reach PostgreSQL before giving up at the start'
  }),
  issuer: Type.Optional(
    Type.String({
      env: 'ISSUER',
      pattern: '^https?://[^/?#\\s]+(/[^?#\\s]*[^/?#\\s])?$',
      expected: 'an http(s) URL without query, fragment or trailing slash',
      description: '`iss` of the tokens; without it the address the service listens on'
    })
  ),
  accessTokenTtl: Type.Integer({
    env: 'ACCESS_TOKEN_TTL',
    default: 86_400,
    minimum: 1,
    maximum: 31_536_000,
    description: 'seconds an access token stays valid'
  }),
  refreshTokenTtl: Type.Integer({
    env: 'REFRESH_TOKEN_TTL',
    default: 2_592_000,
    minimum: 1,
    maximum: 31_536_000,
    description: 'seconds after a login in which its tokens can be refreshed, however often they are'
  }),
  refreshTokenGrace: Type.Integer({
    env: 'REFRESH_TOKEN_GRACE',
    default: 5,
    minimum: 0,
    maximum: 60,
    description: 'seconds in which a refresh token that comes twice is refused but does not end the login'
  }),
  signingAlgorithm: Type.Enum(['ES256', 'RS256', 'EdDSA'], {
    env: 'SIGNING_ALGORITHM',
    default: 'ES256',
    description: 'how a new signing key signs'
  }),
  signingKeyMaxAge: Type.Integer({
    env: 'SIGNING_KEY_MAX_AGE',
    default: 0,
    minimum: 0,
    maximum: 315_360_000,
    description: 'seconds after which the next signing key takes over by itself; 0 never'
  }),
  signingKeysFile: Type.Optional(
    Type.String({
      env: 'SIGNING_KEYS_FILE',
      minLength: 1,
      expected: 'a path',
      description: 'a private JWK set instead of the keys of the database; its first key signs'
    })
  ),
  keyEncryptionSecret: Type.Optional(
    Type.String({
      env: 'KEY_ENCRYPTION_SECRET',
      secret: true,
      minLength: 16,
      expected: 'a text of at least 16 characters',
      description: 'encrypts the private keys in the database'
    })
  ),
  addressLimit: Type.Integer({
    env: 'ADDRESS_LIMIT',
    default: 600,
    minimum: 0,
    maximum: 1_000_000,
    description: 'requests of one address to the OAuth endpoints in a minute; 0 for no limit'
  }),
  clientLimit: Type.Integer({
    env: 'CLIENT_LIMIT',
    default: 6000,
    minimum: 0,
    maximum: 1_000_000,
    description: 'token requests of one client in a minute; 0 for no limit'
  }),
  accountLimit: Type.Integer({
    env: 'ACCOUNT_LIMIT',
    default: 10,
    minimum: 0,
    maximum: 1_000_000,
    description: 'failed logins of one account in a window; 0 for no limit'
  }),
  accountWindow: Type.Integer({
    env: 'ACCOUNT_WINDOW',
    default: 900,
    minimum: 1,
    maximum: 86_400,
    description: 'seconds of that window, and so the longest an account can be locked'
  }),
  passwordMemory: Type.Integer({
    env: 'PASSWORD_MEMORY',
    default: 47_104,
    minimum: 7_168,
    maximum: 4_194_304,
    description: 'argon2id memory of a new password hash, in KiB'
  }),
  passwordIterations: Type.Integer({
    env: 'PASSWORD_ITERATIONS',
    default: 1,
    minimum: 1,
    maximum: 64,
    description: 'argon2id passes of a new password hash'
  }),
  passwordParallelism: Type.Integer({
    env: 'PASSWORD_PARALLELISM',
    default: 1,
    minimum: 1,
    maximum: 64,
    description: 'argon2id lanes of a new password hash'
  }),
  graphqlMaxDepth: Type.Integer({
    env: 'GRAPHQL_MAX_DEPTH',
    default: 15,
    minimum: 2,
    maximum: 100,
    description: 'levels of fields in an operation; the complete introspection query has 15'
  }),
  graphqlMaxTokens: Type.Integer({
    env: 'GRAPHQL_MAX_TOKENS',
    default: 1000,
    minimum: 50,
    maximum: 10_000,
    description: 'tokens of a GraphQL document'
  }),
  graphqlMaxAliases: Type.Integer({
    env: 'GRAPHQL_MAX_ALIASES',
    default: 15,
    minimum: 0,
    maximum: 10_000,
    description: 'aliases in an operation, those of a fragment each time it is spread'
  }),
  graphqlMaxDirectives: Type.Integer({
    env: 'GRAPHQL_MAX_DIRECTIVES',
    default: 8,
    minimum: 0,
    maximum: 10_000,
    description: 'directives in an operation, counted in the same way'
  }),
  graphqlMaxSourceLength: Type.Integer({
    env: 'GRAPHQL_MAX_SOURCE_LENGTH',
    default: 16_384,
    minimum: 256,
    maximum: 65_536,
    description: 'characters of a GraphQL document, variables not included'
  }),
  graphqlMaxBodySize: Type.Integer({
    env: 'GRAPHQL_MAX_BODY_SIZE',
    default: 1_048_576,
    minimum: 1024,
    maximum: 134_217_728,
    description: 'bytes of a request to the GraphQL endpoint'
  }),
  graphqlMaxResultSize: Type.Integer({
    env: 'GRAPHQL_MAX_RESULT_SIZE',
    default: 536_870_912,
    minimum: 1024,
    maximum: 536_870_912,
    description: 'bytes of an answer of the GraphQL endpoint'
  }),
  graphqlIntrospection: Type.Boolean({
    env: 'GRAPHQL_INTROSPECTION',
    default: true,
    production: false,
    expected: 'true or false',
    description: 'answer `__schema` and `__type`; `__typename` is always answered'
  })
}

const processSettings = {
  host: Type.String({
    env: 'HOST',
    default: '127.0.0.1',
    minLength: 1,
    expected: 'a host name or an address',
    description: 'where to listen'
  }),
  port: Type.Integer({
    env: 'PORT',
    default: 3000,
    minimum: 0,
    maximum: 65_535,
    description: 'where to listen; 0 picks a free port, which the log names'
  }),
  socketPath: Type.Optional(
    Type.String({
      env: 'SOCKET_PATH',
      minLength: 1,
      maxLength: 107,
      expected: 'a path of at most 107 characters',
      description: 'listen on this Unix domain socket instead'
    })
  ),
  trustProxy: Type.Optional(
    Type.Refine(
      Type.String({
        env: 'TRUST_PROXY',
        expected: 'a list of addresses and networks, such as `loopback, 10.0.0.0/8`',
        description: 'networks of the proxies whose X-Forwarded-For is believed'
      }),
      isNetworkList
    )
  ),
  logLevel: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    env: 'LOG_LEVEL',
    default: 'info',
    description: 'pino level; JSON lines on stdout, pretty on a terminal'
  }),
  environment: Type.Optional(
    Type.String({ env: 'NODE_ENV', description: '`production`: no demo data, no introspection' })
  )
}

const ServiceSettings = Type.Object(serviceSettings)
/** Settings of the process: those of the service, and where it listens and logs. */
export const ProcessSettings = Type.Object({ ...serviceSettings, ...processSettings })

export type ServiceSettings = Static<typeof ServiceSettings>
export type ProcessSettings = Static<typeof ProcessSettings>

/** What `app.register(productTemplates, …)` takes. Everything is optional. */
export interface ServiceOptions extends Partial<ServiceSettings> {
  /** A Kysely instance of the host's own, used instead of `database`. The host closes it. */
  db?: AnyDb
}

/** The settings of the service without those of the process. */
export function serviceOptions(settings: ProcessSettings): ServiceSettings {
  const names = Object.keys(serviceSettings)
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => names.includes(name))
  ) as ServiceSettings
}

/** Every setting by the name of its option, in the order of the documentation. */
export const settingEntries = (): [option: string, entry: SettingEntry][] =>
  Object.entries(ProcessSettings.properties) as unknown as [string, SettingEntry][]

/** Checks the options of a plugin. Throws {@link StartError} that names every problem at once. */
export function parseServiceOptions(
  given: ServiceOptions & RegisterOptions
): ServiceSettings & { db?: AnyDb } {
  // Fastify's own options of `register` come along.
  const { db, prefix: _prefix, logLevel: _level, logSerializers: _serializers, ...settings } = given
  const names: OptionNames = Object.fromEntries(Object.keys(serviceSettings).map(name => [name, name]))
  const parsed = check(
    ServiceSettings,
    settings,
    names,
    unknownNames(Object.keys(settings), Object.keys(names))
  )
  return db === undefined ? parsed : { ...parsed, db }
}

/**
 * The only reader of the environment. A secret `NAME` may come as `NAME_FILE`, the path of a file.
 * Throws {@link StartError} that names every problem at once.
 */
export function optionsFromEnv(env: NodeJS.ProcessEnv): ProcessSettings {
  const problems: string[] = []
  const given: Record<string, unknown> = {}
  const names: OptionNames = {}
  for (const [option, entry] of settingEntries()) {
    names[option] = entry.env
    const text = entry.secret ? secretText(env, entry.env, problems) : env[entry.env]
    if (text) given[option] = readValue(entry, text)
    else if (env.NODE_ENV === 'production' && 'production' in entry) given[option] = entry.production
  }
  // Short names are too near to other programs' variables to be called a slip of ours, and an empty one is none.
  const known = Object.values(names).filter(name => name.length >= 8)
  const near = Object.keys(env).filter(
    name => env[name] && !Object.values(names).includes(name) && known.some(other => isSlip(name, other))
  )
  return check(ProcessSettings, given, names, [...problems, ...unknownNames(near, known)])
}

/** What is not of the entry's type stays a text, for the check to complain about. */
function readValue({ type }: SettingEntry, text: string): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

function secretText(env: NodeJS.ProcessEnv, name: string, problems: string[]): string | undefined {
  const file = env[`${name}_FILE`]
  if (file === undefined || file === '') return env[name]
  if (env[name]) problems.push(`${name} and ${name}_FILE are both set: keep one`)
  try {
    const text = readFileSync(file, 'utf8').trim()
    // A mount that failed, most likely: to go on without the secret would be to store keys in the open.
    if (text === '') problems.push(`${name}_FILE is empty: ${file}`)
    return text
  } catch (error) {
    problems.push(`${name}_FILE cannot be read (${(error as NodeJS.ErrnoException).code}): ${file}`)
    return undefined
  }
}
