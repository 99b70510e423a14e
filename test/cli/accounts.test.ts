import { type Test, t } from 'tap'
import { databaseUrl, sqliteUrl } from '../database.ts'
import { basic, query, tokenRequest } from '../http.ts'
import { run, serve } from '../process.ts'
import { remember, secret } from '../secrets.ts'

/** An empty database, migrated. */
async function migrated(t: Test) {
  const env = { DATABASE_URL: await databaseUrl(t), PASSWORD_MEMORY: '7168' }
  t.equal((await run(t, ['migrate'], env)).code, 0)
  return env
}

t.test('added users and clients get a token; disabled ones do not', async t => {
  const env = await migrated(t)
  const added = await run(
    t,
    [
      'user',
      'add',
      'Eve@Example.com',
      '--first-name',
      'Eve',
      '--country',
      'Kenya',
      '--wallet',
      '0x1',
      '--wallet',
      '0x2'
    ],
    env,
    `${secret('eve')}\n`
  )
  t.same([added.code, added.stdout], [0, ''])
  const client = await run(t, ['client', 'add', 'shop', '--scope', 'read'], env)
  t.match(client.stdout, /^[\w-]{43}\n$/)
  const clientSecret = remember(client.stdout.trim())

  const { url } = await serve(t, [], env)
  const login = (password: string, authorization: string) =>
    tokenRequest(url, { username: 'eve@example.com', password }, { authorization })
  const response = await login(secret('eve'), basic('shop', clientSecret))
  t.match(await response.json(), {
    first_name: 'Eve',
    last_name: '',
    country: 'Kenya',
    wallets: ['0x1', '0x2'],
    scope: 'read'
  })

  t.equal((await run(t, ['user', 'passwd', 'eve@example.com'], env, secret('new'))).code, 0)
  t.equal((await login(secret('eve'), basic('shop', clientSecret))).status, 400)
  t.equal((await login(secret('new'), basic('shop', clientSecret))).status, 200)

  const renewed = remember((await run(t, ['client', 'secret', 'shop'], env)).stdout.trim())
  t.equal((await login(secret('new'), basic('shop', clientSecret))).status, 401)
  t.equal((await login(secret('new'), basic('shop', renewed))).status, 200)

  t.equal((await run(t, ['user', 'disable', 'eve@example.com'], env)).code, 0)
  t.equal((await login(secret('new'), basic('shop', renewed))).status, 400)
  t.equal((await run(t, ['client', 'disable', 'shop'], env)).code, 0)
  t.equal((await login(secret('new'), basic('shop', renewed))).status, 401)
  t.equal((await run(t, ['client', 'enable', 'shop'], env)).code, 0)
  t.equal((await run(t, ['user', 'enable', 'eve@example.com'], env)).code, 0)
  t.equal((await login(secret('new'), basic('shop', renewed))).status, 200)
})

t.test('lists are tables or, with --json, JSON; neither shows a hash', async t => {
  const env = await migrated(t)
  t.equal((await run(t, ['seed', '--demo'], env)).code, 0)
  const users = await run(t, ['user', 'list', '--json'], env)
  t.match(JSON.parse(users.stdout), [
    { email: 'demo@example.com', wallets: [String, String], disabled: false },
    { email: 'plain@example.com', wallets: [] }
  ])
  const clients = await run(t, ['client', 'list', '--json'], env)
  t.same(JSON.parse(clients.stdout), [
    {
      id: 'demo-client',
      grantTypes: ['password', 'client_credentials'],
      scopes: ['read', 'write'],
      mayIntrospect: false,
      disabled: false
    }
  ])
  const table = await run(t, ['user', 'list'], env)
  t.match(table.stdout, /^id +email +firstName .*\n.*demo@example\.com +Dana/)
  t.notMatch(users.stdout + clients.stdout + table.stdout, /argon2|[0-9a-f]{64}/)
})

t.test('a failure is one line with exit code 1, wrong usage one with exit code 2', async t => {
  const env = await migrated(t)
  t.equal((await run(t, ['user', 'add', 'a@example.com'], env, 'pw')).code, 0)
  t.equal((await run(t, ['client', 'add', 'shop'], env)).code, 0)
  const cases: [string[], number, RegExp][] = [
    [['user', 'add', 'A@example.com'], 1, /user A@example.com already exists/],
    [['user', 'passwd', 'b@example.com'], 1, /there is no user b@example.com/],
    [['user', 'disable', 'b@example.com'], 1, /there is no user/],
    [['client', 'add', 'shop'], 1, /client shop already exists/],
    [['client', 'secret', 'none'], 1, /there is no client none/],
    [['client', 'disable', 'none'], 1, /there is no client none/],
    [['user', 'add', 'nobody'], 2, /is not an e-mail address/],
    [['user', 'add'], 2, /<email> is missing/],
    [['user', 'add', 'c@example.com', '--password', 'x'], 2, /Unknown option '--password'/],
    [['client', 'add', 'a:b'], 2, /other than the colon/],
    [['client', 'add', 'x', '--scope', 'admin'], 2, /unknown scope "admin"/],
    [['client', 'add', 'x', '--grant', 'implicit'], 2, /unknown grant "implicit"/],
    [['client', 'add', '2b0f7f9c-7a44-4c58-8c3d-5a4f9d1e7c11'], 2, /must not be a UUID/],
    [['user', 'list', 'more'], 2, /unexpected argument "more"/],
    [['user'], 2, /a command is missing/],
    [['user', 'lst'], 2, /did you mean "user list"\?/],
    [['sevre'], 2, /did you mean "serve"\?/],
    [[], 2, /a command is missing/]
  ]
  for (const [words, code, text] of cases) {
    const ended = await run(t, words, env, 'pw')
    t.equal(ended.code, code, words.join(' '))
    t.match(ended.stderr, text)
    t.equal(ended.stdout, '')
  }
  t.equal((await run(t, ['user', 'add', 'c@example.com'], env, '')).code, 2, 'an empty password')
  const list = JSON.parse((await run(t, ['user', 'list', '--json'], env)).stdout)
  t.equal(list.length, 1)
})

t.test('an overlong password or e-mail address is reported in one line', async t => {
  const env = await migrated(t)
  const mail = `${'x'.repeat(310)}@example.com`
  for (const [words, password, about] of [
    [['user', 'add', mail], secret('new'), 'an e-mail address must have at most 320 characters'],
    [['user', 'add', 'eve@example.com'], secret('x'.repeat(2000)), 'a password must have 1 to 1024 bytes']
  ] as const) {
    const { code, stderr } = await run(t, [...words], env, password)
    t.same([code, stderr], [2, `product-templates: ${about}\n`])
  }
  t.equal((await run(t, ['user', 'add', 'eve@example.com'], env, secret('new'))).code, 0)
  const changed = await run(t, ['user', 'passwd', 'eve@example.com'], env, secret('é'.repeat(600)))
  t.same([changed.code, changed.stderr], [2, 'product-templates: a password must have 1 to 1024 bytes\n'])
})

t.test('account commands require an existing database', async t => {
  const env = { DATABASE_URL: await sqliteUrl(t) }
  for (const words of [
    ['user', 'list'],
    ['client', 'list'],
    ['user', 'add', 'a@example.com']
  ]) {
    const { code, stderr } = await run(t, words, env, 'pw')
    t.equal(code, 2)
    t.match(stderr, /the file does not exist/)
  }
})

t.test('every command has a help', async t => {
  const { code, stdout } = await run(t, ['--help'])
  t.equal(code, 0)
  const names = [...stdout.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) {2,}/gm)].map(([, name = '']) => name)
  t.equal(names.length, 18)
  for (const name of names) {
    const help = await run(t, [...name.split(' '), '--help'])
    t.equal(help.code, 0, name)
    t.match(help.stdout, new RegExp(`Usage: product-templates ${name}`))
  }
  t.match((await run(t, ['--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
})

t.test(
  'R10 a new password ends the logins that could be refreshed; a client may be given rights',
  async t => {
    const env = await migrated(t)
    t.equal((await run(t, ['user', 'add', 'eve@example.com'], env, secret('eve'))).code, 0)
    const grants = ['--grant', 'password', '--grant', 'refresh_token', '--introspect']
    const added = await run(t, ['client', 'add', 'app', ...grants], env)
    const authorization = basic('app', remember(added.stdout.trim()))
    const { url } = await serve(t, [], env)
    const user = { username: 'eve@example.com', password: secret('eve') }
    const login = (await (await tokenRequest(url, user, { authorization })).json()) as {
      refresh_token: string
    }
    const refresh = { grant_type: 'refresh_token', username: undefined, password: undefined }
    const first = await tokenRequest(
      url,
      { ...refresh, refresh_token: login.refresh_token },
      { authorization }
    )
    t.equal(first.status, 200)
    const { refresh_token } = (await first.json()) as { refresh_token: string }
    t.equal((await run(t, ['user', 'passwd', 'eve@example.com'], env, secret('new'))).code, 0)
    t.equal((await tokenRequest(url, { ...refresh, refresh_token }, { authorization })).status, 400)
    t.match(JSON.parse((await run(t, ['client', 'list', '--json'], env)).stdout), [
      { id: 'app', grantTypes: ['password', 'refresh_token'], mayIntrospect: true }
    ])
  }
)

t.test(
  'R10 J19 a new password, or having been disabled, ends tokens for good; those after are good',
  async t => {
    const env = await migrated(t)
    t.equal((await run(t, ['user', 'add', 'eve@example.com'], env, secret('eve'))).code, 0)
    const plain = basic('plain', remember((await run(t, ['client', 'add', 'plain'], env)).stdout.trim()))
    const grants = ['--grant', 'password', '--grant', 'refresh_token', '--introspect']
    const app = basic('app', remember((await run(t, ['client', 'add', 'app', ...grants], env)).stdout.trim()))
    const { url } = await serve(t, [], env)
    const login = async (authorization: string, password: string) => {
      const response = await tokenRequest(url, { username: 'eve@example.com', password }, { authorization })
      return (await response.json()) as { access_token: string; refresh_token: string }
    }
    const opens = async (token: string) => (await query(url, token, '{ __typename }')).status
    const active = async (token: string) => {
      const body = new URLSearchParams({ token })
      const headers = { authorization: app }
      const response = await fetch(`${url}/oauth/introspect`, { method: 'POST', headers, body })
      return (await response.json()) as { active: boolean }
    }

    const before = await login(plain, secret('eve'))
    t.equal(await opens(before.access_token), 200)
    t.equal((await run(t, ['user', 'passwd', 'eve@example.com'], env, secret('new'))).code, 0)
    const after = await login(plain, secret('new'))
    t.same([await opens(before.access_token), await opens(after.access_token)], [401, 200])
    t.same(await active(before.access_token), { active: false })

    const refreshable = await login(app, secret('new'))
    t.match(
      await active(refreshable.refresh_token),
      { active: true },
      'of a user with a changed password, too'
    )
    t.notOk('epoch' in (await active(refreshable.access_token)))
    t.equal((await run(t, ['user', 'disable', 'eve@example.com'], env)).code, 0)
    t.equal((await run(t, ['user', 'enable', 'eve@example.com'], env)).code, 0)
    t.same([await opens(after.access_token), await opens(refreshable.access_token)], [401, 401])
    const { refresh_token } = refreshable
    const refresh = { grant_type: 'refresh_token', username: undefined, password: undefined, refresh_token }
    t.equal((await tokenRequest(url, refresh, { authorization: app })).status, 400)
    t.equal(await opens((await login(plain, secret('new'))).access_token), 200)
  }
)

t.test('A02 a new password unlocks a locked account', async t => {
  const env = { ...(await migrated(t)), ACCOUNT_LIMIT: '2' }
  t.equal((await run(t, ['user', 'add', 'eve@example.com'], env, secret('eve'))).code, 0)
  const added = await run(t, ['client', 'add', 'app'], env)
  const authorization = basic('app', remember(added.stdout.trim()))
  const { url } = await serve(t, [], env)
  const login = async (password: string) =>
    (await tokenRequest(url, { username: 'Eve@example.com', password }, { authorization })).status
  t.same([await login('x'), await login('x'), await login(secret('eve'))], [400, 400, 429])
  t.equal((await run(t, ['user', 'passwd', 'EVE@example.com'], env, secret('new'))).code, 0)
  t.equal(await login(secret('new')), 200)
})
