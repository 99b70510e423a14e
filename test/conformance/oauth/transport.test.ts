// Runs on SQLite only.
/** RFC 6749 §3.2 and RFC 9110: how the token endpoint is reached. */

import { decodeJwt } from 'jose'
import { t } from 'tap'
import { accessToken, basic, oauthError, rawPost, rawRequest, tokenRequest } from '../../support/http/http.ts'
import { secret } from '../../support/service/secrets.ts'
import { addUser, service, user } from '../../support/service/service.ts'

const form = `grant_type=password&username=${user.email}&password=${encodeURIComponent(user.password)}`
const formType = 'Content-Type: application/x-www-form-urlencoded'

t.test('T01 a password grant answers the fields of the contract, and the token says the same', async t => {
  const { url } = await service(t)
  const body = (await (await tokenRequest(url)).json()) as Record<string, unknown>
  const names = 'access_token token_type expires_in scope id first_name last_name country mobile wallets jti'
  t.same(Object.keys(body), names.split(' '))
  t.match(body, { token_type: 'bearer', expires_in: 86400, scope: 'read write' })
  const { exp = 0, iat = 0, jti, sub } = decodeJwt(body.access_token as string)
  t.same([exp - iat, jti, sub], [body.expires_in, body.jti, body.id])
})

t.test('T02 T03 the e-mail comes as username or email; both must agree', async t => {
  const { url } = await service(t)
  t.equal((await tokenRequest(url, { username: undefined, email: user.email })).status, 200)
  t.equal((await tokenRequest(url, { email: user.email })).status, 200)
  t.same(await oauthError(t, await tokenRequest(url, { email: 'eve@example.com' })), [400, 'invalid_request'])
})

t.test('T04 T05 T06 other methods are 405 with Allow, credentials in the URL or not', async t => {
  const { url } = await service(t)
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const response = await fetch(`${url}/oauth/token?${form}`, {
      method,
      headers: { authorization: basic() }
    })
    t.equal(response.status, 405, method)
    t.equal(response.headers.get('allow'), 'POST')
    t.equal(response.headers.get('access-control-allow-origin'), null)
    t.notMatch(await response.text(), /access_token/)
  }
})

t.test('T07 T08 bodies other than forms are 415', async t => {
  const { url } = await service(t)
  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
    t.same(
      await oauthError(t, await tokenRequest(url, {}, { 'content-type': type })),
      [415, 'invalid_request'],
      type
    )
  }
  const untyped = await rawRequest(
    url,
    rawPost('/oauth/token', [`Authorization: ${basic()}`, `Content-Length: ${form.length}`], form)
  )
  t.match(untyped, /^HTTP\/1\.1 415 [\s\S]*"error":"invalid_request"/)
})

t.test('T09 T10 the media type without regard to case; UTF-8 and no other charset', async t => {
  const { url } = await service(t)
  const type = 'application/x-www-form-urlencoded'
  for (const given of [`${type}; charset=UTF-8`, `${type};charset="utf-8"`, type.toUpperCase()]) {
    t.equal((await tokenRequest(url, {}, { 'content-type': given })).status, 200, given)
  }
  const latin = await tokenRequest(url, {}, { 'content-type': `${type}; charset=iso-8859-1` })
  t.same(await oauthError(t, latin), [415, 'invalid_request'])
})

t.test('T11 an empty body is invalid_request', async t => {
  const { url } = await service(t)
  const empty = { grant_type: undefined, username: undefined, password: undefined }
  t.same(await oauthError(t, await tokenRequest(url, empty)), [400, 'invalid_request'])
})

t.test('T12 a body over 16 KiB is 413, and the next request is served', async t => {
  const { url } = await service(t)
  t.same(await oauthError(t, await tokenRequest(url, { padding: 'x'.repeat(17_000) })), [
    413,
    'invalid_request'
  ])
  t.equal((await tokenRequest(url)).status, 200)
})

t.test('T13 a thousand parameters are no trouble', async t => {
  const { url } = await service(t)
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`p${index}`, 'x']))
  t.equal((await tokenRequest(url, many)).status, 200)
})

t.test('T14 malformed escapes, bytes that are no UTF-8, and NUL are invalid_request', async t => {
  const { url } = await service(t)
  const headers = [`Authorization: ${basic()}`, formType]
  for (const tail of [
    '&x=%zz',
    '&x=%',
    '&x=%ff',
    '&%c3=x',
    '&x=%00',
    Buffer.from([0x26, 0x78, 0x3d, 0xff])
  ]) {
    const body = Buffer.concat([Buffer.from(form), Buffer.from(tail as string)])
    const answer = await rawRequest(
      url,
      rawPost('/oauth/token', [...headers, `Content-Length: ${body.length}`], body)
    )
    t.match(answer, /^HTTP\/1\.1 400 [\s\S]*"error":"invalid_request"/, String(tail))
  }
})

t.test('T15 plus, its escape, an escaped space and emoji are decoded correctly', async t => {
  const { url, db } = await service(t)
  const password = secret('a+b c 🍏 %41')
  await addUser(db, { email: 'odd@example.com', password })
  t.equal((await tokenRequest(url, { username: 'odd@example.com', password })).status, 200)
  const spaced = `grant_type=password&username=odd%40example.com&password=${encodeURIComponent(password)}`
  const send = (body: string) =>
    fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: basic(), 'content-type': 'application/x-www-form-urlencoded' },
      body
    })
  t.equal((await send(spaced)).status, 200)
  t.equal((await send(spaced.replaceAll('%20', '+'))).status, 200)
  t.equal((await send(spaced.replaceAll('%2B', '+'))).status, 400)
})

t.test('T16 names such as __proto__ are ordinary parameters', async t => {
  const { url } = await service(t)
  t.equal(
    (await tokenRequest(url, JSON.parse('{"__proto__":"x","constructor":"x","toString":"x"}'))).status,
    200
  )
  t.equal(({} as { x?: unknown }).x, undefined)
})

t.test('T17 a compressed body is 415', async t => {
  const { url } = await service(t)
  t.same(await oauthError(t, await tokenRequest(url, {}, { 'content-encoding': 'gzip' })), [
    415,
    'invalid_request'
  ])
})

t.test('T18 two Content-Length headers are 400', async t => {
  const { url } = await service(t)
  const headers = [`Authorization: ${basic()}`, formType]
  for (const lengths of [
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    ['Content-Length: 5', 'Content-Length: 6']
  ]) {
    t.match(
      await rawRequest(url, rawPost('/oauth/token', [...headers, ...lengths], form)),
      /^HTTP\/1\.1 400 /
    )
  }
})

t.test('T19 parameters in the URL are ignored; credentials there are invalid_request', async t => {
  const { url } = await service(t)
  const post = (query: string, body: string) =>
    fetch(`${url}/oauth/token?${query}`, {
      method: 'POST',
      headers: { authorization: basic(), 'content-type': 'application/x-www-form-urlencoded' },
      body
    })
  t.equal((await post('grant_type=foo&scope=admin&x=1', form)).status, 200)
  for (const query of ['password=x', 'client_secret=x', 'username=x', 'refresh_token=x']) {
    t.same(await oauthError(t, await post(query, form)), [400, 'invalid_request'], query)
  }
})

t.test('T20 the path is matched exactly', async t => {
  const { url } = await service(t)
  await accessToken(url)
  for (const path of ['/oauth/token/', '/OAuth/Token', '/oauth//token']) {
    t.equal((await fetch(`${url}${path}`, { method: 'POST' })).status, 404, path)
  }
})
