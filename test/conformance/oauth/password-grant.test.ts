/** RFC 6749 §3.2, §3.3, §4.3: parameters, the password grant, scopes. */
import { decodeJwt } from 'jose'
import { t } from 'tap'
import { setUserDisabled } from '../../../db/accounts/users.ts'
import { accessToken, basic, oauthError, tokenRequest, visible } from '../../support/http/http.ts'
import { secret } from '../../support/service/secrets.ts'
import { addClient, addUser, client, service, user } from '../../support/service/service.ts'

t.test('G01-G03 G06 missing, empty and unknown parameters', async t => {
  const { url } = await service(t)
  const cases: [Record<string, string | undefined>, string][] = [
    [{ grant_type: undefined }, 'invalid_request'],
    [{ grant_type: '' }, 'invalid_request'],
    [{ grant_type: 'foo' }, 'unsupported_grant_type'],
    [{ grant_type: 'implicit' }, 'unsupported_grant_type'],
    [{ grant_type: 'authorization_code' }, 'unauthorized_client'],
    [{ grant_type: 'constructor' }, 'unsupported_grant_type'],
    [{ grant_type: 'Password' }, 'unsupported_grant_type'],
    [{ username: undefined }, 'invalid_request'],
    [{ username: '' }, 'invalid_request'],
    [{ password: undefined }, 'invalid_request'],
    [{ password: '' }, 'invalid_request']
  ]
  for (const [form, code] of cases) {
    t.same(await oauthError(t, await tokenRequest(url, form)), [400, code], JSON.stringify(form))
  }
})

t.test(
  'G04 a malformed form is invalid_request, even with the same value twice, also without a secret',
  async t => {
    const { url, db } = await service(t)
    await addClient(db, { id: 'page', isPublic: true, grantTypes: ['refresh_token'] })
    const once = `grant_type=password&username=${user.email}&password=x&scope=read&refresh_token=x&token=x`
    const names = ['grant_type', 'username', 'password', 'scope', 'refresh_token', 'token']
    const repeated = names.map(name => `${once}&${once.split('&').find(pair => pair.startsWith(`${name}=`))}`)
    const authenticated: [headers: Record<string, string>, id: string][] = [
      [{ authorization: basic() }, ''],
      [{}, '&client_id=page'],
      [{}, '&client_id=page&client_id=page']
    ]
    for (const path of ['token', 'revoke'])
      for (const [authorization, id] of authenticated)
        for (const form of [...repeated, `${once}&scope=%zz`]) {
          const headers = { ...authorization, 'content-type': 'application/x-www-form-urlencoded' }
          const response = await fetch(`${url}/oauth/${path}`, { method: 'POST', headers, body: form + id })
          t.equal(response.headers.get('www-authenticate'), null)
          t.same(await oauthError(t, response), [400, 'invalid_request'], `${path} ${form}${id}`)
        }
  }
)

t.test('G05 an unknown parameter is ignored', async t => {
  const { url } = await service(t)
  t.equal((await tokenRequest(url, { audience: 'x', resource: 'y' })).status, 200)
})

t.test('G07-G10 G12 G20 every failure of the user gets the same response', async t => {
  const { url, db } = await service(t)
  await addUser(db, { email: 'gone@example.com' })
  await setUserDisabled(db, 'gone@example.com', true)
  const users = () => db.selectFrom('product_user').selectAll().execute()
  const before = await users()
  const forms = [
    { password: secret('wrong') },
    { username: 'nobody@example.com' },
    { username: 'gone@example.com' },
    { username: ` ${user.email}` },
    { username: `${user.email} ` },
    { password: 'x'.repeat(1025) },
    { username: "' or 1=1 --" },
    { username: `${user.email}'; drop table product_user; --` },
    { username: '{"$ne":null}' },
    { password: "' or '1'='1" }
  ]
  const answers = await Promise.all(forms.map(async form => visible(await tokenRequest(url, form))))
  t.match(JSON.parse(answers[0]?.body ?? ''), { error: 'invalid_grant' })
  t.equal(answers[0]?.status, 400)
  t.equal(new Set(answers.map(answer => JSON.stringify(answer))).size, 1)
  t.same(await users(), before)
})

t.test('G10 the e-mail matches without regard to case', async t => {
  const { url } = await service(t)
  t.equal((await tokenRequest(url, { username: user.email.toUpperCase() })).status, 200)
})

t.test(
  'G07 texts are measured before they are normalised, which takes the square of their length',
  async t => {
    const { url } = await service(t)
    const marks = (count: number) => 'a\u0315\u0316'.padEnd(count, '\u0315')
    const { normalize } = String.prototype
    let longest = 0
    String.prototype.normalize = function (form) {
      longest = Math.max(longest, this.length)
      return normalize.call(this, form)
    }
    t.teardown(() => {
      String.prototype.normalize = normalize
    })
    for (const length of [513, 2600])
      t.same(await oauthError(t, await tokenRequest(url, { password: marks(length) })), [
        400,
        'invalid_grant'
      ])
    for (const name of ['username', 'email']) {
      const form = { username: undefined, [name]: marks(321) }
      t.same(await oauthError(t, await tokenRequest(url, form)), [400, 'invalid_request'])
    }
    t.equal(longest, user.email.length)
    await tokenRequest(url, { username: marks(320), password: marks(512) })
    t.equal(longest, 512)
  }
)

t.test('G11 spaces in a password count; both forms of an accent are equal', async t => {
  const { url, db } = await service(t)
  const password = ` ${secret('né')} `
  await addUser(db, { email: 'accent@example.com', password: password.normalize('NFC') })
  const login = (given: string) => tokenRequest(url, { username: 'accent@example.com', password: given })
  t.equal((await login(password.normalize('NFD'))).status, 200)
  t.equal((await login(password.trim())).status, 400)
})

t.test('G13 every byte of a password counts', async t => {
  const { url, db } = await service(t)
  const long = secret('x'.repeat(80))
  await addUser(db, { email: 'long@example.com', password: `${long}a` })
  t.equal((await tokenRequest(url, { username: 'long@example.com', password: `${long}a` })).status, 200)
  t.equal((await tokenRequest(url, { username: 'long@example.com', password: `${long}b` })).status, 400)
})

t.test('G14-G19 scopes are a set, in canonical order, within what the client has', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'reader', scopes: ['read'] })
  const ask = (scope: string | undefined, id = client.id) =>
    tokenRequest(url, { scope }, { authorization: basic(id, client.secret) })
  const granted: [string | undefined, string, string][] = [
    [undefined, client.id, 'read write'],
    ['', client.id, 'read write'],
    ['read', client.id, 'read'],
    ['write read', client.id, 'read write'],
    ['read read', client.id, 'read'],
    [undefined, 'reader', 'read']
  ]
  for (const [scope, id, expected] of granted) {
    const body = (await (await ask(scope, id)).json()) as { scope: string; access_token: string }
    t.same([body.scope, decodeJwt(body.access_token).scope], [expected, expected], `${scope} of ${id}`)
  }
  const refused = [
    'admin',
    'read admin',
    'read "',
    'read\\write',
    'read\twrite',
    'read  write',
    ' read',
    'read ',
    'READ'
  ]
  for (const scope of refused) t.same(await oauthError(t, await ask(scope)), [400, 'invalid_scope'], scope)
  t.same(await oauthError(t, await ask('read write', 'reader')), [400, 'invalid_scope'])
})

t.test('G21 two logins are two tokens, issued now, without personal data', async t => {
  const { url } = await service(t)
  const [one, two] = [decodeJwt(await accessToken(url)), decodeJwt(await accessToken(url))]
  t.not(one.jti, two.jti)
  t.ok((one.iat ?? Number.POSITIVE_INFINITY) * 1000 <= Date.now())
  t.same(Object.keys(one).sort(), [
    'aud',
    'client_epoch',
    'client_id',
    'exp',
    'iat',
    'iss',
    'jti',
    'scope',
    'sub'
  ])
  // Random hexadecimal digits may spell a name.
  t.notMatch(JSON.stringify({ ...one, jti: '', sub: '' }), /ada|byron|england|0x5290/i)
})
