// Runs in test:all only.
/** RFC 6749 §4.3.2, §10.7: guessing and flooding. */

import Fastify from 'fastify'
import { t } from 'tap'
import { productTemplates } from '../../../index.ts'
import { accessToken, basic, oauthError, query, tokenRequest } from '../../support/http/http.ts'
import { secret } from '../../support/service/secrets.ts'
import {
  addClient,
  addUser,
  cheapHash,
  client,
  database,
  service,
  user
} from '../../support/service/service.ts'

const wrong = { password: secret('wrong') }

t.test('A01 after too many failures an account is locked, whether or not it exists', async t => {
  for (const username of [user.email, 'nobody@example.com']) {
    const { url } = await service(t, { accountLimit: 3 })
    for (let turn = 0; turn < 3; turn++) {
      t.same(await oauthError(t, await tokenRequest(url, { ...wrong, username })), [400, 'invalid_grant'])
    }
    const refused = await tokenRequest(url, { username })
    const seconds = Number(refused.headers.get('retry-after'))
    t.ok(seconds > 890 && seconds <= 900, `${seconds} s`)
    t.same(await oauthError(t, refused), [429, 'temporarily_unavailable'], 'the right password, too')
    t.equal((await tokenRequest(url, { username: username.toUpperCase() })).status, 429)
    t.equal(
      (await tokenRequest(url, { username: 'else@example.com', ...wrong })).status,
      400,
      'others are not'
    )
  }
})

t.test('A02 a successful login clears the failures', async t => {
  const { url } = await service(t, { accountLimit: 3 })
  for (let round = 0; round < 3; round++) {
    t.equal((await tokenRequest(url, wrong)).status, 400)
    t.equal((await tokenRequest(url, wrong)).status, 400)
    t.equal((await tokenRequest(url)).status, 200)
  }
})

t.test('A02 a lock ends with its window, even if more logins failed meanwhile', async t => {
  const { url } = await service(t, { accountLimit: 2 })
  for (let turn = 0; turn < 6; turn++) await tokenRequest(url, wrong)
  t.equal((await tokenRequest(url)).status, 429)
  const realNow = Date.now
  t.teardown(() => {
    Date.now = realNow
  })
  Date.now = () => realNow() + 901_000
  t.equal((await tokenRequest(url)).status, 200)
})

t.test('A02 token requests per client are limited; others cannot use up the limit', async t => {
  const { url, db } = await service(t, { clientLimit: 3 })
  await addClient(db, { id: 'other' })
  for (let turn = 0; turn < 5; turn++) {
    t.equal((await tokenRequest(url, {}, { authorization: basic(client.id, secret('wrong')) })).status, 401)
  }
  for (let turn = 0; turn < 3; turn++) t.equal((await tokenRequest(url)).status, 200)
  const refused = await tokenRequest(url)
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  t.same(await oauthError(t, refused), [429, 'temporarily_unavailable'])
  t.equal((await tokenRequest(url, {}, { authorization: basic('other', client.secret) })).status, 200)
})

t.test('A02 a public client has no limit, which anyone who names it could use up', async t => {
  const { url, db } = await service(t, { clientLimit: 1 })
  await addClient(db, { id: 'page', isPublic: true, grantTypes: ['refresh_token'] })
  const body = { grant_type: 'refresh_token', client_id: 'page', refresh_token: 'x' }
  for (let turn = 0; turn < 3; turn++) {
    const refused = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(body) })
    t.same(await oauthError(t, refused), [400, 'invalid_grant'])
  }
})

t.test('A02 A04 requests per address are limited, whatever headers it sends', async t => {
  const { url } = await service(t, { addressLimit: 3 })
  for (let turn = 0; turn < 3; turn++) {
    t.equal((await tokenRequest(url, {}, { 'x-forwarded-for': `203.0.113.${turn}` })).status, 200)
  }
  const refused = await tokenRequest(url, {}, { 'x-forwarded-for': '203.0.113.99' })
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  t.same(await oauthError(t, refused), [429, 'temporarily_unavailable'])
})

t.test('A02 all endpoints share the limit per address, pages too, and refused requests count', async t => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const send: Record<string, (url: string) => Promise<Response>> = {
    token: url => tokenRequest(url),
    revoke: url => fetch(`${url}/oauth/revoke`, { method: 'POST', headers: form, body: 'token=x' }),
    introspect: url => fetch(`${url}/oauth/introspect`, { method: 'POST', headers: form, body: 'token=x' }),
    'the login page': url => fetch(`${url}/oauth/authorize`),
    'the logout page': url => fetch(`${url}/oauth/logout`),
    'another method': url => fetch(`${url}/oauth/token`),
    'another charset': url =>
      tokenRequest(url, {}, { 'content-type': `${form['content-type']}; charset=iso-8859-1` }),
    'another media type': url => tokenRequest(url, {}, { 'content-type': 'text/plain' }),
    'a large body': url => tokenRequest(url, { scope: 'x'.repeat(20_000) })
  }
  const { url } = await service(t, { addressLimit: Object.keys(send).length })
  const statuses = []
  for (const request of Object.values(send)) statuses.push((await request(url)).status)
  t.same(statuses, [200, 401, 401, 400, 200, 405, 415, 415, 413])
  for (const [name, request] of Object.entries(send)) t.equal((await request(url)).status, 429, name)
  t.equal((await fetch(`${url}/livez`)).status, 200)
})

t.test('A04 behind a trusted proxy each address has its own limit', async t => {
  const db = await database(t)
  await addUser(db)
  await addClient(db)
  const app = Fastify({ trustProxy: 'loopback' })
  t.teardown(() => app.close())
  await app.register(productTemplates, { db, ...cheapHash, addressLimit: 1 })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const from = (address: string) => tokenRequest(url, {}, { 'x-forwarded-for': address })
  t.same(
    [
      (await from('203.0.113.1')).status,
      (await from('203.0.113.2')).status,
      (await from('203.0.113.1')).status,
      // Some proxies add the port of the client.
      (await from('203.0.113.1:4711')).status,
      (await from('[2001:db8::1]:4711')).status,
      (await from('[2001:db8::2]:4712')).status
    ],
    [200, 200, 429, 429, 200, 429]
  )
})

t.test(
  'A03 of two hundred logins at once each is answered, and who is refused is told when to come back',
  async t => {
    const { url } = await service(t, { addressLimit: 0, passwordMemory: 47_104 })
    const token = await accessToken(url)
    const logins = Array.from({ length: 200 }, () => tokenRequest(url))
    const meanwhile = await query(url, token, '{ __typename }')
    t.equal(meanwhile.status, 200)
    const answers = await Promise.all(logins)
    const statuses = new Set(answers.map(({ status }) => status))
    t.ok(
      [...statuses].every(status => status === 200 || status === 503),
      [...statuses].join()
    )
    t.ok(answers.some(({ status }) => status === 200))
    for (const answer of answers) if (answer.status === 503) t.equal(answer.headers.get('retry-after'), '1')
  }
)

t.test('a host with its own rate limit keeps it', async t => {
  const { default: rateLimit } = await import('@fastify/rate-limit')
  const db = await database(t)
  await addUser(db)
  await addClient(db)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(rateLimit, { max: 100 })
  await app.register(productTemplates, { prefix: '/shop', db, ...cheapHash })
  app.get('/', async () => 'theirs')
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  t.equal((await fetch(url)).headers.get('x-ratelimit-limit'), '100')
  t.equal((await tokenRequest(`${url}/shop`)).status, 200)
})
