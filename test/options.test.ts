import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Fastify from 'fastify'
import { t } from 'tap'
import { StartError } from '../errors.ts'
import type { DocumentedOptions } from '../options/documented.ts'
import { optionsFromEnv, parseServiceOptions, type ServiceSettings } from '../options.ts'
import { directory } from './database.ts'

const complaint = (job: () => unknown): string => {
  try {
    job()
  } catch (error) {
    if (error instanceof StartError && error.code === 'PTS_BAD_OPTION') return error.message
    throw error
  }
  return 'nothing was refused'
}

// The generated type is that of the schema.
export const documented: DocumentedOptions = {} as Partial<ServiceSettings>
export const settings: Partial<ServiceSettings> = {} as DocumentedOptions

t.test('an empty environment is a working configuration', async t => {
  t.same(optionsFromEnv({ PATH: '/bin', HOSTNAME: 'box' }), {
    database: 'sqlite:./data/templates.db',
    databasePoolSize: 10,
    databaseConnectTimeout: 3,
    databaseQueryTimeout: 10,
    databaseStartTimeout: 30,
    databasePreparedStatements: true,
    accessTokenTtl: 86400,
    refreshTokenTtl: 2592000,
    refreshTokenGrace: 5,
    signingAlgorithm: 'ES256',
    signingKeyMaxAge: 0,
    addressLimit: 600,
    clientLimit: 6000,
    accountLimit: 10,
    accountWindow: 900,
    passwordMemory: 47104,
    passwordIterations: 1,
    passwordParallelism: 1,
    validation: 'enforce',
    maxDataSize: 262_144,
    importMaxTemplates: 1000,
    graphqlMaxDepth: 15,
    graphqlMaxTokens: 1000,
    graphqlMaxAliases: 15,
    graphqlMaxDirectives: 8,
    graphqlMaxSourceLength: 16384,
    graphqlMaxBodySize: 1048576,
    graphqlMaxResultSize: 536870912,
    graphqlMaxCost: 500_000,
    graphqlCostRate: 2_000_000,
    graphqlConcurrency: 8,
    graphqlTimeout: 10,
    graphqlMaxPendingSize: 268_435_456,
    graphqlResponseCacheSize: 134_217_728,
    graphqlStallTimeout: 30,
    changesMaxStreams: 1000,
    changesStreamsPerToken: 10,
    changesHeartbeat: 15,
    graphqlIntrospection: true,
    host: '127.0.0.1',
    port: 3000,
    workers: 1,
    logLevel: 'info'
  })
})

t.test('an empty variable counts as absent', async t => {
  t.equal(optionsFromEnv({ PORT: '', ISSUER: '' }).port, 3000)
})

t.test('all problems are reported at once, each with the expected value', async t => {
  const text = complaint(() =>
    optionsFromEnv({ PORT: '80.5', ACCESS_TOKEN_TTL: '0', LOG_LEVEL: 'loud', ISSUER: 'https://x.example/' })
  )
  t.match(text, /PORT must be an integer from 0 to 65535, not "80.5"/)
  t.match(text, /ACCESS_TOKEN_TTL must be an integer from 1 to 31536000, not 0/)
  t.match(text, /LOG_LEVEL must be one of fatal, .*, not "loud"/)
  t.match(text, /ISSUER must be an http\(s\) URL without query, fragment or trailing slash/)
  t.notMatch(text, /\n/)
})

t.test('a number must be a plain integer', async t => {
  for (const PORT of ['1e3', '0x50', '80abc', ' ', '65536', '-1', '99999999999999999999']) {
    t.match(
      complaint(() => optionsFromEnv({ PORT })),
      /PORT must be/,
      PORT
    )
  }
})

t.test('a boolean is true or false; introspection is off in production by default', async t => {
  for (const [env, expected] of [
    [{}, true],
    [{ GRAPHQL_INTROSPECTION: 'false' }, false],
    [{ NODE_ENV: 'production' }, false],
    [{ NODE_ENV: 'production', GRAPHQL_INTROSPECTION: '' }, false],
    [{ NODE_ENV: 'production', GRAPHQL_INTROSPECTION: 'true' }, true]
  ] as const) {
    t.equal(optionsFromEnv(env).graphqlIntrospection, expected, JSON.stringify(env))
  }
  t.match(
    complaint(() => optionsFromEnv({ GRAPHQL_INTROSPECTION: 'yes' })),
    /GRAPHQL_INTROSPECTION must be true or false, not "yes"/
  )
})

t.test('a typo in a name is refused with a suggestion', async t => {
  t.match(
    complaint(() => optionsFromEnv({ DATABSE_URL: 'x' })),
    /DATABSE_URL is not a setting: did you mean DATABASE_URL\?/
  )
  for (const [name, meant] of [
    ['DATABASE_UURL', 'DATABASE_URL'],
    ['ACCESS_TOKNE_TTL', 'ACCESS_TOKEN_TTL'],
    ['ACCOUNT_LIMITS', 'ACCOUNT_LIMIT'],
    ['ISSUER_', undefined]
  ] as const) {
    const text = complaint(() => optionsFromEnv({ [name]: 'x' }))
    t.match(text, meant ? `${name} is not a setting: did you mean ${meant}?` : 'nothing was refused', name)
  }
  t.match(
    complaint(() => parseServiceOptions({ databse: 'x' } as never)),
    /databse is not a setting: did you mean database\?/
  )
  t.match(
    complaint(() => parseServiceOptions({ colour: 'x' } as never)),
    /colour is not a setting$/
  )
})

t.test('the value of a secret is never printed', async t => {
  for (const url of [
    'mysql://root:hunter2@db/x',
    'postgres://root:hunter2@one,two/x',
    'postgres://root:hunter2@db',
    'postgres://root:hunter2@%zz/x',
    'postgres://root:hunter2@[::1/x',
    'postgres://root:hunter2@db:99999/x',
    'postgres://root:hunter2@db/x?port=99999'
  ]) {
    const text = complaint(() => optionsFromEnv({ DATABASE_URL: url }))
    t.match(text, /DATABASE_URL must be `sqlite:<path>`, `sqlite::memory:` or `postgres:/)
    t.notMatch(text, /hunter2/)
  }
})

t.test('a secret may come from a file', async t => {
  const file = join(await directory(t), 'url')
  await writeFile(file, 'sqlite:/srv/templates.db\n')
  t.equal(optionsFromEnv({ DATABASE_URL_FILE: file }).database, 'sqlite:/srv/templates.db')
  t.match(
    complaint(() => optionsFromEnv({ DATABASE_URL_FILE: `${file}x` })),
    /DATABASE_URL_FILE cannot be read \(ENOENT\)/
  )
  t.match(
    complaint(() => optionsFromEnv({ DATABASE_URL_FILE: file, DATABASE_URL: 'sqlite:x' })),
    /both set/
  )
  await writeFile(file, ' \n')
  for (const name of ['DATABASE_URL', 'KEY_ENCRYPTION_SECRET'])
    t.match(
      complaint(() => optionsFromEnv({ [`${name}_FILE`]: file, PORT: 'x' })),
      new RegExp(`^${name}_FILE is empty: ${file}; PORT must be`)
    )
})

t.test(
  'a PostgreSQL URL may have no host, an IPv6 address, a socket, or a percent sign in the password',
  async t => {
    for (const address of [
      '/x',
      'root@/x',
      '[::1]:5433/x',
      '%2Frun%2Fpostgresql/x',
      'root:100%@db/x?port=5433'
    ]) {
      const database = `postgres://${address}`
      t.equal(optionsFromEnv({ DATABASE_URL: database }).database, database)
    }
  }
)

t.test('db must be a Kysely instance', async t => {
  for (const db of [{}, null, 'sqlite:./x.db', { selectFrom: true }]) {
    t.equal(
      complaint(() => parseServiceOptions({ db, accessTokenTtl: 0 } as never)),
      'db must be a Kysely instance; accessTokenTtl must be an integer from 1 to 31536000, not 0'
    )
  }
  t.equal(parseServiceOptions({ db: undefined } as never).accessTokenTtl, 86_400)
})

t.test('the options of a plugin are those of the service, and are not changed', async t => {
  const given = Object.freeze({ prefix: '/shop', database: 'sqlite::memory:' })
  t.match(parseServiceOptions(given), { database: 'sqlite::memory:', accessTokenTtl: 86400 })
  t.match(
    complaint(() => parseServiceOptions({ port: 80 } as never)),
    /port is not a setting/
  )
})

t.test('variables of other programs and empty variables are ignored', async t => {
  const theirs = {
    DATABASE_URI: 'x',
    NODE_EXE: '/bin/node',
    DATABASE_USER: 'x',
    LOG_LEVELS: '',
    DATABSE_URL: ''
  }
  t.equal(optionsFromEnv(theirs).database, 'sqlite:./data/templates.db')
})

t.test('an invalid TRUST_PROXY is reported together with all other problems', async t => {
  for (const good of [
    'loopback',
    '127.0.0.1',
    '10.0.0.0/8, fd00::/8,uniquelocal',
    '::1',
    '::ffff:10.0.0.1'
  ]) {
    t.equal(optionsFromEnv({ TRUST_PROXY: good }).trustProxy, good)
    t.doesNotThrow(() => Fastify({ trustProxy: good }), good)
  }
  const wrong = [
    '999.1.1.1',
    '1.2.3.4/99',
    '::1/129',
    '1.2.3.4/0',
    '1.2.3.4/',
    'abc',
    '1',
    'true',
    'loopback,',
    '1.2.3'
  ]
  for (const bad of [...wrong, '10.0.0.0/8/8', 'fe80::1%lo', '10.0.0.0/255.0.0.0'])
    t.match(
      complaint(() => optionsFromEnv({ PORT: 'x', TRUST_PROXY: bad })),
      /^PORT must be .*; TRUST_PROXY must be a list of addresses and networks, such as `loopback, 10/,
      bad
    )
})
