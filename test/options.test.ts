// Runs on SQLite only.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Fastify from 'fastify'
import { t } from 'tap'
import { parseServiceOptions, readSettings } from '../options/index.ts'
import { maskValue } from '../options/setting.ts'
import { StartError } from '../runtime/host-errors.ts'
import { directory } from './support/database/database.ts'
import { optionsFromEnv } from './support/service/settings.ts'

const complaint = (job: () => unknown): string => {
  try {
    job()
  } catch (error) {
    if (error instanceof StartError && error.code === 'PTS_BAD_OPTION') return error.message
    throw error
  }
  return 'nothing was refused'
}

t.test('an empty environment is a working configuration', async t => {
  // docs/configuration.md has all defaults, and a test compares it.
  const settings = optionsFromEnv({ PATH: '/bin', HOSTNAME: 'box' })
  t.match(settings, { database: 'sqlite:./data/templates.db', host: '127.0.0.1', port: 3000, explorer: true })
})

t.test('a limit for hosts is an option of the plugin, and no variable or line of a file', async t => {
  t.equal(parseServiceOptions({}).graphqlMaxDepth, 15)
  t.equal(parseServiceOptions({ graphqlMaxDepth: 3 }).graphqlMaxDepth, 3)
  t.match(
    complaint(() => parseServiceOptions({ graphqlMaxDepth: 1 })),
    'graphqlMaxDepth must be an integer from 2 to 100, not 1'
  )
  t.notOk('graphqlMaxDepth' in optionsFromEnv({ GRAPHQL_MAX_DEPTH: '3' }))
  const file = join(await directory(t), 'settings')
  await writeFile(file, 'GRAPHQL_MAX_DEPTH=3')
  t.match(
    complaint(() => optionsFromEnv({ CONFIG_FILE: file })),
    'GRAPHQL_MAX_DEPTH is not a setting'
  )
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
  t.match(
    text,
    /ISSUER must be an http\(s\) URL as browsers write it, without user, query, fragment or trailing slash/
  )
  t.notMatch(text, /\n/)
  t.match(
    complaint(() => optionsFromEnv({ ISSUER: 'https://user:secret@x.example' })),
    /ISSUER must be/
  )
})

t.test('a wrong value contradicts no other value', t => {
  const wrong = { graphqlDocumentsOnly: 'no', explorer: true } as never
  t.match(
    complaint(() => parseServiceOptions(wrong)),
    /^graphqlDocumentsOnly must be true or false, not "no"$/
  )
  t.end()
})

t.test('a URL is one that browsers can open, and the issuer is written as they write it', async t => {
  const malformed = ['https://example.com:99999', 'https://[::1', 'https://exa%mple', 'https://']
  const respelled = [
    'https://Example.com',
    'HTTPS://example.com',
    'https://example.com:443',
    'http://example.com:80',
    'https://example.com/a/../b',
    'https://example.com/a\\b',
    'https://example.com/ä',
    'https://bücher.example',
    'https://0x7f.1',
    'https://[0:0::1]'
  ]
  for (const ISSUER of [...malformed, ...respelled])
    t.match(
      complaint(() => optionsFromEnv({ ISSUER })),
      /ISSUER must be an http\(s\) URL as browsers write it/,
      ISSUER
    )
  for (const ISSUER of [
    'https://example.com',
    'http://localhost:3000',
    'https://[::1]:8443/a',
    'https://xn--bcher-kva.example/shop/a;b/%C3%A4'
  ])
    t.equal(optionsFromEnv({ ISSUER }).issuer, ISSUER)
  for (const IPFS_GATEWAY of malformed)
    t.match(
      complaint(() => optionsFromEnv({ IPFS_GATEWAY })),
      /IPFS_GATEWAY must be an http\(s\) URL/,
      IPFS_GATEWAY
    )
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

const production = { NODE_ENV: 'production', DATABASE_URL: 'sqlite:/srv/templates.db' }

t.test('a boolean is true or false; introspection is off in production by default', async t => {
  for (const [env, expected] of [
    [{}, true],
    [{ GRAPHQL_INTROSPECTION: 'false' }, false],
    [production, false],
    [{ ...production, GRAPHQL_INTROSPECTION: '' }, false],
    [{ ...production, GRAPHQL_INTROSPECTION: 'true' }, true]
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
    ['ISSUER_', undefined],
    ['DATABASE__URL', 'DATABASE_URL'],
    ['WORKRS', 'WORKERS'],
    ['WOKRERS', 'WORKERS'],
    ['WORKER', 'WORKERS'],
    ['ISSUR', 'ISSUER'],
    ['ISUSER', 'ISSUER'],
    ['POTR', 'PORT'],
    ['PRT', 'PORT'],
    ['PORTT', 'PORT'],
    ['OPRT', 'PORT'],
    ['HSOT', 'HOST'],
    ['HOOST', 'HOST'],
    ['METRCS', 'METRICS'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
    ['NODE_EVN', 'NODE_ENV'],
    ['MPC', undefined],
    ['DATABASE_ULR_FILE', 'DATABASE_URL_FILE'],
    ['KEY_ENCRYPTION_SECRT_FILE', 'KEY_ENCRYPTION_SECRET_FILE']
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

t.test('variables of systems, of CI and of other programs are no typos', async t => {
  const names =
    `PATH HOME HOSTNAME USER SHELL TERM LANG PWD OLDPWD SHLVL MAIL TZ EDITOR PAGER LOGNAME HOSTTYPE TMPDIR
    CI GITHUB_ACTIONS RUNNER_OS BUILD_ID JOB_NAME GIT_COMMIT ISSUE ISSUES NODE NODE_PATH NODE_OPTIONS NODE_VERSION
    npm_config_port INIT_CWD PORTS PORT0 PORT1 PORT_3000_TCP_ADDR HOST0 HOSTS HOST_IP VHOST LHOST RHOST RPORT SPORT DPORT
    POST SORT HOT POSTGRES_HOST POSTGRES_PORT PGHOST PGPORT REDIS_URL DATABASE_URI DATABASE_URL1 DB_HOST SMTP_PORT
    KUBERNETES_SERVICE_HOST KUBERNETES_PORT KUBERNETES_PORT_443_TCP_PORT SHOP_SERVICE_PORT SHOP_PORT LOG_DIR LOGLEVEL_DB
    TLS_CA_FILE HTTP_PROXY NO_PROXY WEB_CONCURRENCY DYNO MCP_URL MP CP WORKERS_COUNT SSH_CLIENT XDG_SESSION_ID
    INVOCATION_ID JOURNAL_STREAM CREDENTIALS_DIRECTORY NOTIFY_SOCKET OTEL_SERVICE_NAME TAP METRICS_PORT`.split(
      /\s+/
    )
  const env = Object.fromEntries(names.map(name => [name, '1']))
  for (const link of ['HEALTHZ_PORT', 'HEALTH_PORT'])
    t.match(optionsFromEnv({ ...env, [link]: 'tcp://10.0.0.1:80' }), { port: 3000 })
})

t.test('the value of a secret is never printed', async t => {
  for (const url of [
    'mysql://root:hunter2@db/x',
    'postgres://root:hunter2@one,two:99999/x',
    'postgres://root:hunter2@one/x?target_session_attrs=main',
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
  await writeFile(file, Buffer.alloc(32, 0xff))
  t.match(
    complaint(() => optionsFromEnv({ KEY_ENCRYPTION_SECRET_FILE: file })),
    `KEY_ENCRYPTION_SECRET_FILE is not a text in UTF-8: ${file}`
  )
})

t.test('a flag comes before a variable, a variable before the file, the file before the default', async t => {
  const file = join(await directory(t), 'settings')
  const secretFile = `${file}.secret`
  await writeFile(secretFile, 'from the secret file\n\n')
  const read = async (text: string, flags = {}, env = {}) => {
    await writeFile(file, text)
    return readSettings({ flags, env: { CONFIG_FILE: file, ...env } })
  }
  const lines = '# ours\nexport PORT=4001\nHOST="::1"\n\nLOG_LEVEL=debug # loud\nISSUER=\n'
  const env = { PORT: '4002', HOST: '::', WORKERS: '', KEY_ENCRYPTION_SECRET_FILE: secretFile }
  const { settings, origins } = await read(lines, { port: '4003' }, env)
  t.match(settings, { port: 4003, host: '::', logLevel: 'debug', workers: 1 })
  t.equal(settings.keyEncryptionSecret, 'from the secret file\n', 'without one newline')
  t.equal(settings.issuer, undefined, 'an empty line counts as absent')
  t.match(origins, {
    port: { source: 'flag', from: '--port' },
    host: { source: 'variable', from: 'HOST' },
    logLevel: { source: 'file', from: file },
    workers: { source: 'default', from: '' },
    keyEncryptionSecret: { source: 'variable', from: `KEY_ENCRYPTION_SECRET_FILE, ${secretFile}` }
  })
  const json = '{ "PORT": 4001, "GRAPHQL_INTROSPECTION": false, "DATABASE_URL": "sqlite:/srv/x.db" }'
  t.match((await read(json)).settings, {
    port: 4001,
    graphqlIntrospection: false,
    database: 'sqlite:/srv/x.db'
  })
  const overruled = await read(json, {}, { DATABASE_URL_FILE: secretFile }).catch(error => error.message)
  t.match(overruled, /^DATABASE_URL_FILE must be/, 'a variable NAME_FILE comes before NAME in the file')
  const asOfWindows = `\uFEFF# ours\r\nPORT=4001\r\nHOST="::1"\r\n`
  t.match((await read(asOfWindows)).settings, { port: 4001, host: '::1' })
  t.match((await read(`\uFEFF${json}`)).settings, { port: 4001 })
  const inProduction = await read('NODE_ENV=production\nDATABASE_URL=sqlite:/srv/x.db')
  t.same(
    [inProduction.settings.graphqlIntrospection, inProduction.origins.graphqlIntrospection],
    [false, { source: 'default', from: 'production' }]
  )
})

t.test('problems of a file name it, and never quote it', async t => {
  const file = join(await directory(t), 'settings')
  const problems = async (text: string | Buffer, flags = {}) => {
    await writeFile(file, text)
    return complaint(() => readSettings({ flags: { 'config-file': file, ...flags }, env: {} }))
  }
  t.equal(
    await problems('{ "PROT": 1, "CONFIG_FILE": "x", "WORKERS": [2], "HOST": null, "PORT": "hunter" }', {
      workers: 'x'
    }),
    [
      `${file}: WORKERS must be a string, a number or a boolean`,
      `${file}: HOST must be a string, a number or a boolean`,
      `${file}: PROT is not a setting: did you mean PORT?`,
      `${file}: CONFIG_FILE is not a setting`,
      `PORT in ${file} must be an integer from 0 to 65535, not "hunter"`,
      '--workers must be an integer from 1 to 64, not "x"'
    ].join('; ')
  )
  t.equal(
    await problems('{ "KEY_ENCRYPTION_SECRET": hunter2 }'),
    `CONFIG_FILE cannot be read (it is not valid JSON): ${file}`
  )
  t.equal(
    await problems('PORT=1\nKEY_ENCRYPTION_SECRET="a\nb of more than sixteen"\nhunter2\nDATABASE_UTL_FILE=x'),
    `${file}: line 4 is not NAME=value; ${file}: DATABASE_UTL_FILE is not a setting: did you mean DATABASE_URL_FILE?`
  )
  t.equal(
    await problems(Buffer.from('KEY_ENCRYPTION_SECRET=sixteen letters \xf6\n', 'latin1')),
    `CONFIG_FILE is not a text in UTF-8: ${file}`
  )
  t.match(await problems('', { 'config-file': `${file}x` }), /^CONFIG_FILE cannot be read \(ENOENT\): .*x$/)
  t.match(
    await problems('PORT=1', { 'config-file': '' }),
    /^CONFIG_FILE cannot be read .*--config-file must be a path/
  )
})

t.test('in production the database must be named', async t => {
  t.match(
    complaint(() => optionsFromEnv({ NODE_ENV: 'production', PORT: 'x' })),
    /DATABASE_URL is missing: if NODE_ENV is production, it has no default\. Set it to `sqlite:<path>`.*PORT must be/
  )
  t.match(
    complaint(() => optionsFromEnv({ NODE_ENV: 'production', DATABASE_URL_FILE: '/none' })),
    /^DATABASE_URL_FILE cannot be read \(ENOENT\): \/none$/
  )
})

t.test('secrets and the passwords of URLs are masked', async t => {
  const mask = (url: string) => maskValue({ secret: 'password' }, url)
  for (const [url, shown] of [
    ['sqlite:./data/a:b@c.db', 'sqlite:./data/a:b@c.db'],
    ['postgres://root@db/x', 'postgres://root@db/x'],
    ['postgres://root:hunter2@db:5432/x?sslmode=require', 'postgres://root:***@db:5432/x?sslmode=require'],
    ['postgres://ro:hunter2:hun@ter2@db/x', 'postgres://ro:***@db/x'],
    ['postgres://:hunter2@db/x', 'postgres://:***@db/x'],
    ['postgres://ro@ot:hunter2@db/x', 'postgres://ro%40ot:***@db/x'],
    ['postgres://root:hunter2@/x', 'postgres://root:***@/x'],
    ['postgres://root:hunter2@a:1,b:2/x', 'postgres://root:***@a:1,b:2/x'],
    ['postgres://db/x?PASSWORD=hunter2', 'postgres://db/x?PASSWORD=***'],
    // A text that cannot be parsed may contain a password.
    ['postgres://root:hunter2@[db/x', '***'],
    ['root:hunter2@db/x', '***'],
    [
      'postgresql:///x?host=db&p%61ssword=hunter2&user=root',
      'postgresql:///x?host=db&p%61ssword=***&user=root'
    ]
  ] as const)
    t.equal(mask(url), shown)
  t.equal(maskValue({ secret: true }, 'hunter2'), '***')
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
    '10.0.0.0/08',
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

t.test('what looks like production is production, or an error', async t => {
  for (const NODE_ENV of ['Production', 'production ', 'prod', 'prodution'])
    t.match(
      complaint(() => readSettings({ flags: {}, env: { NODE_ENV } })),
      /^NODE_ENV must be exactly `production`, or something else/
    )
  t.equal(readSettings({ flags: {}, env: { NODE_ENV: 'staging' } }).settings.environment, 'staging')
})

t.test('the port of the service is none of those of the probes', async t => {
  const read = (env: Record<string, string>) => () => readSettings({ flags: {}, env })
  for (const env of [
    { HEALTH_PORT: '3000' },
    { HEALTH_PORT: '8080', PORT: '8080' },
    { HEALTH_PORT: '8080', PORT: '8083', WORKERS: '4' }
  ])
    t.match(complaint(read(env)), /^PORT must be another port than HEALTH_PORT/)
  t.doesNotThrow(read({ HEALTH_PORT: '8080', PORT: '8084', WORKERS: '4' }))
  const wrong = complaint(read({ HEALTH_PORT: '3001', WORKERS: 'many' }))
  t.equal(wrong, 'WORKERS must be an integer from 1 to 64, not "many"', 'a wrong value contradicts nothing')
  t.doesNotThrow(read({ HEALTH_PORT: '0', PORT: '0' }))
  t.doesNotThrow(read({ HEALTH_PORT: '3000', SOCKET_PATH: '/run/service.sock' }))
})

t.test('the path of a socket has at most the bytes that systems allow', async t => {
  const read = (SOCKET_PATH: string) => () => optionsFromEnv({ SOCKET_PATH })
  t.doesNotThrow(read('é'.repeat(53)))
  t.match(complaint(read('é'.repeat(54))), /^SOCKET_PATH must be a path of at most 107 bytes, not "é/)
})
