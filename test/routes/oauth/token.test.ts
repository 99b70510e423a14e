import { type Test, t } from 'tap'
import { disableClient } from '../../../db/repositories/clients.ts'
import { disableUser } from '../../../db/repositories/users.ts'
import { basic, tokenRequest, visible } from '../../http.ts'
import { secret } from '../../secrets.ts'
import { addClient, addUser, client, service, user } from '../../service.ts'

const challenge = 'Basic realm="product-templates", charset="UTF-8"'

/** Status and error code of an answer, in the shape of RFC 6749 §5.2 and never cached. */
async function refusal(t: Test, response: Response) {
  const body = (await response.json()) as { error: string }
  t.match(body, { error: String, error_description: /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/ })
  t.match(Object.fromEntries(response.headers), { 'cache-control': 'no-store', pragma: 'no-cache' })
  return [response.status, body.error]
}

t.test('an unknown client, a wrong secret, a disabled client and none at all look the same', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'gone' })
  await disableClient(db, 'gone')
  const headers = [
    { authorization: basic('nobody', client.secret) },
    { authorization: basic(client.id, secret('wrong')) },
    { authorization: basic('gone', client.secret) },
    { authorization: undefined },
    { authorization: 'Basic !!!!' },
    { authorization: 'Basic ' },
    { authorization: 'Bearer abc' },
    { authorization: `Basic ${btoa('no colon')}` },
    { authorization: `Basic ${btoa(':')}` },
    { authorization: `Basic ${btoa('bad%zz:bad%zz')}` },
    { authorization: `Basic ${btoa('\xff\xfe:x')}` }
  ]
  const answers = await Promise.all(headers.map(async header => visible(await tokenRequest(url, {}, header))))
  t.equal(answers[0]?.status, 401)
  t.equal(answers[0]?.headers['www-authenticate'], challenge)
  t.match(JSON.parse(answers[0]?.body ?? ''), { error: 'invalid_client' })
  t.equal(new Set(answers.map(answer => JSON.stringify(answer))).size, 1)
})

t.test('an unknown user, a wrong password and a disabled user look the same', async t => {
  const { url, db } = await service(t)
  await addUser(db, { email: 'gone@example.com' })
  await disableUser(db, 'gone@example.com')
  const forms = [
    { username: 'nobody@example.com' },
    { password: secret('wrong') },
    { username: 'gone@example.com' },
    { username: ` ${user.email}` },
    { password: `${user.password} ` },
    { password: 'x'.repeat(1025) },
    { username: "' or 1=1 --" }
  ]
  const answers = await Promise.all(forms.map(async form => visible(await tokenRequest(url, form))))
  t.equal(answers[0]?.status, 400)
  t.match(JSON.parse(answers[0]?.body ?? ''), { error: 'invalid_grant' })
  t.equal(new Set(answers.map(answer => JSON.stringify(answer))).size, 1)
})

t.test('the client is checked before the user', async t => {
  const { url } = await service(t)
  const wrong = { authorization: basic(client.id, secret('wrong')) }
  t.same(await refusal(t, await tokenRequest(url, { password: secret('wrong') }, wrong)), [
    401,
    'invalid_client'
  ])
})

t.test('missing, empty, doubled and unknown parameters', async t => {
  const { url } = await service(t)
  const cases: [Record<string, string | undefined>, string][] = [
    [{ grant_type: undefined }, 'invalid_request'],
    [{ grant_type: '' }, 'invalid_request'],
    [{ grant_type: 'Password' }, 'unsupported_grant_type'],
    [{ grant_type: 'authorization_code' }, 'unsupported_grant_type'],
    [{ grant_type: 'constructor' }, 'unsupported_grant_type'],
    [{ username: undefined }, 'invalid_request'],
    [{ username: '' }, 'invalid_request'],
    [{ password: undefined }, 'invalid_request'],
    [{ password: '' }, 'invalid_request'],
    [{ scope: 'admin' }, 'invalid_scope'],
    [{ scope: 'read admin' }, 'invalid_scope'],
    [{ scope: 'read  write' }, 'invalid_scope'],
    [{ scope: ' read' }, 'invalid_scope'],
    [{ scope: 'read"' }, 'invalid_scope']
  ]
  for (const [form, code] of cases) {
    t.same(await refusal(t, await tokenRequest(url, form)), [400, code], JSON.stringify(form))
  }
  t.equal((await tokenRequest(url, { unknown: 'x', __proto__: 'x', constructor: 'x' })).status, 200)
})

t.test('a parameter given twice is invalid_request, even with one value', async t => {
  const { url } = await service(t)
  for (const name of ['grant_type', 'username', 'password', 'scope']) {
    const form = `grant_type=password&username=${user.email}&password=x&scope=read&${name}=read`
    const response = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: basic(), 'content-type': 'application/x-www-form-urlencoded' },
      body: form
    })
    t.same(await refusal(t, response), [400, 'invalid_request'], name)
  }
})

t.test('scopes are a set, in canonical order, within what the client has', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'reader', scopes: ['read'] })
  const granted = async (scope: string | undefined, id = client.id) => {
    const response = await tokenRequest(url, { scope }, { authorization: basic(id, client.secret) })
    return ((await response.json()) as { scope: string; error: string }).scope
  }
  t.equal(await granted(undefined), 'read write')
  t.equal(await granted(''), 'read write')
  t.equal(await granted('write read read'), 'read write')
  t.equal(await granted('read'), 'read')
  t.equal(await granted(undefined, 'reader'), 'read')
  t.equal(await granted('read write', 'reader'), undefined)
})

t.test('a client may use only its grant types', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'machine', grantTypes: ['client_credentials'] })
  const response = await tokenRequest(url, {}, { authorization: basic('machine', client.secret) })
  t.same(await refusal(t, response), [400, 'unauthorized_client'])
})

t.test('credentials are percent-decoded, and the scheme is matched without regard to case', async t => {
  const { url, db } = await service(t)
  const { hashClientSecret } = await import('../../../credentials/client-secret.ts')
  const odd = secret('a:b%c+d e')
  await addClient(db, { id: 'my-client', secretHash: hashClientSecret(odd) })
  const encoded = btoa(`my%2Dclient:${encodeURIComponent(odd).replaceAll('%20', '+')}`)
  for (const scheme of ['Basic', 'basic', 'BASIC']) {
    t.equal((await tokenRequest(url, {}, { authorization: `${scheme} ${encoded}` })).status, 200)
  }
})

t.test('the e-mail matches without regard to case; a password counts to the last byte', async t => {
  const { url, db } = await service(t)
  t.equal((await tokenRequest(url, { username: user.email.toUpperCase() })).status, 200)
  const long = secret('x'.repeat(80))
  await addUser(db, { email: 'long@example.com', password: `${long}a` })
  t.equal((await tokenRequest(url, { username: 'long@example.com', password: `${long}a` })).status, 200)
  t.equal((await tokenRequest(url, { username: 'long@example.com', password: `${long}b` })).status, 400)
})

t.test('a password is the same in both forms of its accents', async t => {
  const { url, db } = await service(t)
  const accented = secret('né')
  await addUser(db, { email: 'accent@example.com', password: accented.normalize('NFC') })
  const response = await tokenRequest(url, {
    username: 'accent@example.com',
    password: accented.normalize('NFD')
  })
  t.equal(response.status, 200)
})

t.test('bodies other than forms are 415, too large ones 413', async t => {
  const { url } = await service(t)
  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
    const response = await tokenRequest(url, {}, { 'content-type': type })
    t.same(await refusal(t, response), [415, 'invalid_request'], type)
  }
  t.same(await refusal(t, await tokenRequest(url, { padding: 'x'.repeat(17_000) })), [413, 'invalid_request'])
  for (const type of [
    'application/x-www-form-urlencoded; charset=UTF-8',
    'Application/X-WWW-Form-Urlencoded'
  ]) {
    t.equal((await tokenRequest(url, {}, { 'content-type': type })).status, 200, type)
  }
})

t.test('other methods are 405 and say which one is allowed', async t => {
  const { url } = await service(t)
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const response = await fetch(`${url}/oauth/token`, { method, headers: { authorization: basic() } })
    t.equal(response.status, 405, method)
    t.equal(response.headers.get('allow'), 'POST')
  }
})

t.test('a failing database is a server error, not a wrong secret', async t => {
  const { url, db } = await service(t)
  await db.schema.dropTable('product_client').execute()
  t.same(await refusal(t, await tokenRequest(url)), [503, 'temporarily_unavailable'])
})
