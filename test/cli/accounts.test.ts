// Runs on SQLite only: import.test.ts and store.test.ts write to both engines.
import { t } from 'tap'
import { addConsent } from '../../db/accounts/logins/consents.ts'
import { findUserByEmail, type StoredUser } from '../../db/accounts/users.ts'
import { transact } from '../../db/transaction.ts'
import { openDatabase } from '../../features/database.ts'
import { insertPasskey } from '../../features/passkeys/rows.ts'
import { basic, query, tokenRequest } from '../support/http/http.ts'
import { migrated, run, serve, start } from '../support/service/process.ts'
import { remember, secret } from '../support/service/secrets.ts'
import { runInside } from './inside.ts'

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

  const kept = await runInside(t, ['client', 'secret', 'shop', '--overlap', '1h', '--json'], env)
  const { secret: latest, ...rest } = JSON.parse(kept.stdout)
  t.same(rest, { id: 'shop', overlap: 3600 })
  for (const each of [renewed, remember(latest)])
    t.equal((await login(secret('new'), basic('shop', each))).status, 200)
  for (const wrong of ['1', '0s', '31d', '1h30m'])
    t.equal((await runInside(t, ['client', 'secret', 'shop', '--overlap', wrong], env)).code, 2, wrong)

  t.equal((await run(t, ['user', 'disable', 'eve@example.com'], env)).code, 0)
  t.equal((await login(secret('new'), basic('shop', renewed))).status, 400)
  t.equal((await run(t, ['client', 'disable', 'shop'], env)).code, 0)
  t.equal((await login(secret('new'), basic('shop', renewed))).status, 401)
  t.equal((await run(t, ['client', 'enable', 'shop'], env)).code, 0)
  t.equal((await run(t, ['user', 'enable', 'eve@example.com'], env)).code, 0)
  t.equal((await login(secret('new'), basic('shop', renewed))).status, 200)
})

t.test('accounts are shown, changed and deleted; a deleted one has no valid token at once', async t => {
  const env = await migrated(t)
  const words = ['user', 'add', 'eve@example.com', '--first-name', 'Eve', '--wallet', '0x1', '--json']
  const eve = JSON.parse((await runInside(t, words, env, secret('eve'))).stdout)
  t.match(eve, {
    email: 'eve@example.com',
    firstName: 'Eve',
    lastName: '',
    wallets: ['0x1'],
    disabled: false
  })
  const { secret: clientSecret, ...shop } = JSON.parse(
    (
      await runInside(
        t,
        ['client', 'add', 'shop', '--grant', 'password', '--grant', 'refresh_token', '--json'],
        env
      )
    ).stdout
  )
  const authorization = basic('shop', remember(clientSecret))
  const json = async (...words: string[]) => JSON.parse((await run(t, [...words, '--json'], env)).stdout)
  t.same([await json('user', 'show', 'EVE@example.com'), await json('client', 'show', 'shop')], [eve, shop])
  t.match((await runInside(t, ['user', 'show', 'eve@example.com'], env)).stdout, /^firstName {2}Eve$/m)

  const { url } = await serve(t, [], env)
  const login = async (more = {}) => {
    const response = await tokenRequest(
      url,
      { username: 'eve@example.com', password: secret('eve'), ...more },
      { authorization }
    )
    const body = (await response.json()) as { access_token?: string; refresh_token?: string; scope?: string }
    return { status: response.status, ...body }
  }
  const opens = async (token = '') => (await query(url, token, '{ __typename }')).status
  const first = await login()
  const changed = await json(
    'user',
    'set',
    'eve@example.com',
    '--country',
    'Kenya',
    '--wallet',
    '0x2',
    '--wallet',
    '0x3'
  )
  t.same(changed, { ...eve, country: 'Kenya', wallets: ['0x2', '0x3'] })
  t.match(await login(), { first_name: 'Eve', country: 'Kenya', wallets: ['0x2', '0x3'] })
  t.equal(
    (await runInside(t, ['user', 'set', 'eve@example.com', '--first-name', '', '--no-wallets'], env)).code,
    0
  )
  t.match(await login(), { first_name: '', country: 'Kenya', wallets: [] })

  t.match(await json('client', 'set', 'shop', '--scope', 'read', '--introspect', 'true'), {
    ...shop,
    scopes: ['read'],
    mayIntrospect: true
  })
  const { refresh_token } = first
  const refreshed = await login({
    grant_type: 'refresh_token',
    refresh_token,
    username: undefined,
    password: undefined
  })
  t.match(
    [refreshed, await login()],
    [{ scope: 'read' }, { scope: 'read' }],
    'a refreshed token has no more, either'
  )

  const last = await login()
  t.equal(await opens(last.access_token), 200)
  t.same(await json('user', 'delete', 'Eve@example.com'), { email: 'Eve@example.com' })
  t.same([await opens(last.access_token), (await login()).status], [401, 400])
  t.equal((await runInside(t, ['user', 'add', 'eve@example.com'], env, secret('eve'))).code, 0)
  t.equal(await opens(last.access_token), 401, 'a new user of that name is another one')
  const again = await login()
  t.equal(await opens(again.access_token), 200)
  t.same(await json('client', 'delete', 'shop'), { id: 'shop' })
  t.same([await opens(again.access_token), (await login()).status], [401, 401])
  remember((await json('client', 'add', 'shop')).secret)
  t.equal(await opens(again.access_token), 401, 'a new client of that id is another one')
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
      isPublic: false,
      redirectUris: [],
      firstParty: false,
      displayName: '',
      disabled: false
    }
  ])
  const table = await runInside(t, ['user', 'list'], env)
  t.match(table.stdout, /^id +email +firstName .*\n.*demo@example\.com +Dana/)
  t.notMatch(users.stdout + clients.stdout + table.stdout, /argon2|[0-9a-f]{64}/)
})

t.test(
  'R10 a new password ends the logins that could be refreshed; a client may be given rights',
  async t => {
    const env = await migrated(t)
    t.equal((await runInside(t, ['user', 'add', 'eve@example.com'], env, secret('eve'))).code, 0)
    const grants = ['--grant', 'password', '--grant', 'refresh_token', '--introspect']
    const added = await runInside(t, ['client', 'add', 'app', ...grants], env)
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
    t.equal((await runInside(t, ['user', 'passwd', 'eve@example.com'], env, secret('new'))).code, 0)
    t.equal((await tokenRequest(url, { ...refresh, refresh_token }, { authorization })).status, 400)
    t.match(JSON.parse((await runInside(t, ['client', 'list', '--json'], env)).stdout), [
      { id: 'app', grantTypes: ['password', 'refresh_token'], mayIntrospect: true }
    ])
  }
)

t.test(
  'R10 J19 a new password, or having been disabled, ends tokens for good; those after are good',
  async t => {
    const env = await migrated(t)
    t.equal((await runInside(t, ['user', 'add', 'eve@example.com'], env, secret('eve'))).code, 0)
    const plain = basic(
      'plain',
      remember((await runInside(t, ['client', 'add', 'plain'], env)).stdout.trim())
    )
    const grants = ['--grant', 'password', '--grant', 'refresh_token', '--introspect']
    const app = basic(
      'app',
      remember((await runInside(t, ['client', 'add', 'app', ...grants], env)).stdout.trim())
    )
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
    t.equal((await runInside(t, ['user', 'passwd', 'eve@example.com'], env, secret('new'))).code, 0)
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
    t.equal((await runInside(t, ['user', 'disable', 'eve@example.com'], env)).code, 0)
    t.equal((await runInside(t, ['user', 'enable', 'eve@example.com'], env)).code, 0)
    t.same([await opens(after.access_token), await opens(refreshable.access_token)], [401, 401])
    const { refresh_token } = refreshable
    const refresh = { grant_type: 'refresh_token', username: undefined, password: undefined, refresh_token }
    t.equal((await tokenRequest(url, refresh, { authorization: app })).status, 400)
    t.equal(await opens((await login(plain, secret('new'))).access_token), 200)
  }
)

t.test('A02 a new password unlocks a locked account', async t => {
  const env = { ...(await migrated(t)), ACCOUNT_LIMIT: '2' }
  t.equal((await runInside(t, ['user', 'add', 'eve@example.com'], env, secret('eve'))).code, 0)
  const added = await runInside(t, ['client', 'add', 'app'], env)
  const authorization = basic('app', remember(added.stdout.trim()))
  const { url } = await serve(t, [], env)
  const login = async (password: string) =>
    (await tokenRequest(url, { username: 'Eve@example.com', password }, { authorization })).status
  t.same([await login('x'), await login('x'), await login(secret('eve'))], [400, 400, 429])
  t.equal((await runInside(t, ['user', 'passwd', 'EVE@example.com'], env, secret('new'))).code, 0)
  t.equal(await login(secret('new')), 200)
})

t.test('a password that is not UTF-8 is refused, instead of storing another one', async t => {
  const env = await migrated(t)
  const add = (encoding: BufferEncoding) =>
    run(t, ['user', 'add', 'eve@example.com'], env, Buffer.from('längliches Geheimnis\n', encoding))
  t.match(await add('latin1'), { code: 2, stderr: 'product-templates: the password is not valid UTF-8\n' })
  t.match(await add('utf8'), { code: 0 })
})

t.test('P07 a redirect URI that could lead elsewhere is not registered', async t => {
  const env = await migrated(t)
  const add = (...uris: string[]) =>
    runInside(t, ['client', 'add', 'page', '--public', ...uris.flatMap(uri => ['--redirect-uri', uri])], env)
  const wrong = [
    'https://app.example/callback#fragment',
    'http://app.example/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://*.example/callback',
    'https://user@app.example/callback',
    'https:app.example/callback',
    'https:///app.example/callback',
    'https://app.example;script-src/callback',
    'https://a%2Eexample/callback',
    'myapp:/callback',
    '/callback',
    'https://app.example/a b'
  ]
  const { code, stderr } = await add(...wrong)
  t.equal(code, 2)
  for (const uri of wrong) t.ok(stderr.includes(JSON.stringify(uri)), uri)
  t.equal((await add()).code, 2, 'none')
  const good = ['https://app.example/callback', 'http://127.0.0.1/callback', 'com.example.app:/callback']
  const added = await add(...good)
  t.same([added.code, added.stdout], [0, ''], 'it has no secret')
  const [found] = JSON.parse((await runInside(t, ['client', 'list', '--json'], env)).stdout)
  t.match(found, { isPublic: true, redirectUris: good, grantTypes: ['refresh_token', 'authorization_code'] })
  const withPassword = [
    'client',
    'add',
    'x',
    '--public',
    '--grant',
    'password',
    '--redirect-uri',
    good[0] as string
  ]
  t.equal((await runInside(t, withPassword, env)).code, 2)
  const narrowed = await runInside(t, ['client', 'set', 'page', '--grant', 'refresh_token', '--json'], env)
  t.match(JSON.parse(narrowed.stdout), { redirectUris: good, grantTypes: ['refresh_token'] }, 'they stay')
  t.equal((await runInside(t, ['client', 'secret', 'page'], env)).code, 2)
})

t.test('a user has a role and a rule on templates', async t => {
  const env = await migrated(t)
  const user = (...words: string[]) => runInside(t, ['user', ...words], env)
  const password = `${secret('role')}\n`
  t.equal((await run(t, ['user', 'add', 'eve@example.com', '--role', 'editor'], env, password)).code, 0)
  t.equal((await run(t, ['user', 'add', 'x@example.com', '--role', 'owner'], env, password)).code, 2)
  const shown = async () => JSON.parse((await user('show', 'eve@example.com', '--json')).stdout)
  t.match(await shown(), { role: 'editor' })
  t.equal((await user('set', 'eve@example.com', '--role', 'reader')).code, 0)
  t.match(await shown(), { role: 'reader', where: null })

  const where = { componentName: { in: ['TrackingRecord'] } }
  t.equal((await user('set', 'eve@example.com', '--where', JSON.stringify(where))).code, 0)
  t.same((await shown()).where, where)
  t.equal((await user('set', 'eve@example.com', '--where', '{')).code, 2)
  t.match(await user('set', 'eve@example.com', '--where', '{"colour":{}}'), {
    code: 2,
    stderr: /where\.colour is not a field of a filter/
  })
  t.same((await shown()).where, where)
  t.equal((await user('set', 'eve@example.com', '--no-where')).code, 0)
  t.equal((await shown()).where, null)
})

t.test('the command can take away the last administrator', async t => {
  const env = await migrated(t)
  const user = async (action: string, ...words: string[]) =>
    (await runInside(t, ['user', action, 'root@example.com', ...words], env, secret('root'))).code
  t.equal(await user('add', '--role', 'admin'), 0)
  t.equal(await user('disable'), 0)
  t.equal(await user('enable'), 0)
  t.equal(await user('set', '--role', 'reader'), 0)
  t.equal(await user('set', '--role', 'admin'), 0)
  t.equal(await user('delete'), 0)
})

t.test('the passkeys of a user are listed and deleted', async t => {
  const env = await migrated(t)
  const add = (email: string) => run(t, ['user', 'add', email], env, `${secret('passkey')}\n`)
  await add('eve@example.com')
  await add('bob@example.com')
  const db = await openDatabase(env.DATABASE_URL)
  t.teardown(() => db.destroy())
  const { id: userId } = (await findUserByEmail(db, 'eve@example.com')) as StoredUser
  await insertPasskey(db, { id: '-QxZ', userId, name: 'Phone', publicKey: 'pQ', counter: 0 })
  const passkeys = (...words: string[]) => runInside(t, ['user', 'passkeys', ...words], env)
  const listed = JSON.parse((await passkeys('eve@example.com', '--json')).stdout)
  t.match(listed, [{ id: '-QxZ', name: 'Phone', timeUsed: null }])
  t.equal((await passkeys('bob@example.com', '--delete', '-QxZ')).code, 1)
  const deleted = await passkeys('eve@example.com', '--delete', '-QxZ', '--json')
  t.same(JSON.parse(deleted.stdout), { email: 'eve@example.com', id: '-QxZ' })
  t.same(JSON.parse((await passkeys('eve@example.com', '--json')).stdout), [])
  t.equal((await passkeys('carol@example.com')).code, 1)
})

t.test('the consents of a user are listed and revoked', async t => {
  const env = await migrated(t)
  await run(t, ['user', 'add', 'eve@example.com'], env, `${secret('consent')}\n`)
  await runInside(t, ['client', 'add', 'app'], env)
  const db = await openDatabase(env.DATABASE_URL)
  t.teardown(() => db.destroy())
  const { id: userId } = (await findUserByEmail(db, 'eve@example.com')) as StoredUser
  await transact(db, transaction => addConsent(transaction, { clientId: 'app', userId }, ['read']))
  const consents = async (...words: string[]) =>
    JSON.parse((await runInside(t, ['user', 'consents', 'eve@example.com', '--json', ...words], env)).stdout)
  t.match(await consents(), [{ clientId: 'app' }])
  t.same(await consents('--revoke', 'app'), { email: 'eve@example.com', client: 'app' })
  t.same(await consents(), [])
})

t.test('a link replaces the prompt for a password', async t => {
  const env = { ...(await migrated(t)), ISSUER: 'https://templates.example' }
  const added = await run(t, ['user', 'add', 'eve@example.com', '--link', '--role', 'reader'], env)
  t.equal(added.code, 0)
  t.match(added.stdout, /^https:\/\/templates\.example\/oauth\/password\?token=[\w-]{43}\n$/)
  remember(added.stdout.trim())
  const again = await runInside(t, ['user', 'passwd', 'eve@example.com', '--link', '--json'], env)
  const { email, link } = JSON.parse(again.stdout)
  t.equal(email, 'eve@example.com')
  remember(link)
  const { ISSUER: _, ...without } = env
  const refused = await run(t, ['user', 'add', 'bob@example.com', '--link'], without)
  t.match([refused.code, refused.stderr], [2, /--link needs ISSUER/])
  const off = { ...env, PASSWORD_LOGIN: 'false' }
  for (const words of [
    ['add', 'bob@example.com'],
    ['passwd', 'eve@example.com']
  ]) {
    const useless = await runInside(t, ['user', ...words, '--link'], off)
    t.match(
      [useless.code, useless.stdout, useless.stderr],
      [2, '', /PASSWORD_LOGIN is false/],
      words.join(' ')
    )
  }
  t.equal((await runInside(t, ['user', 'show', 'bob@example.com'], env)).code, 1, 'nobody was added')
})

t.test('a new secret that nobody can read is a failure', async t => {
  const env = await migrated(t)
  for (const words of [
    ['client', 'add', 'shop'],
    ['client', 'secret', 'shop', '--json']
  ]) {
    const { child, ended } = start(t, words, env)
    child.stdout.destroy()
    const { code, stderr } = await ended
    t.equal(code, 1)
    t.match(stderr, 'the new secret could not be printed')
  }
})
