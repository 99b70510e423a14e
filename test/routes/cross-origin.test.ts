// Runs on SQLite only.
/** Web pages of other origins, Fetch Standard §3.2. */

import Fastify from 'fastify'
import { t } from 'tap'
import { productTemplates } from '../../index.ts'
import { accessToken, graphqlRequest, tokenRequest } from '../support/http/http.ts'
import { loggedService } from '../support/service/log.ts'
import { cheapHash, database, service } from '../support/service/service.ts'

const origin = 'https://app.example'
const listed = ['/oauth/token', '/oauth/revoke', '/graphql', '/changes', '/.well-known/jwks.json']
const corsOrigins = `${origin}, http://localhost:5173`

const preflight = (url: string, from = origin, asked = 'authorization') =>
  fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin: from,
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked
    }
  })

t.test('P38 pages of a listed origin may ask and read, also a refusal', async t => {
  const { url } = await service(t, { corsOrigins, addressLimit: 2 })
  for (const path of listed)
    for (let turn = 0; turn < 3; turn++) {
      const { status, headers } = await preflight(url + path)
      t.same(
        [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-methods')],
        [204, origin, 'POST'],
        `${path}: no limit counts it`
      )
      t.match(headers.get('access-control-allow-headers'), /Authorization.*Idempotency-Key/)
      t.equal(headers.get('access-control-allow-credentials'), null)
      t.equal(headers.get('vary'), 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method')
    }
  const token = await accessToken(url, {}, { origin })
  const answers = [
    await graphqlRequest(url, token, { query: '{ allProducts { id } }' }, { origin }),
    await graphqlRequest(url, 'x', { query: '{ allProducts { id } }' }, { origin }),
    await tokenRequest(url, { password: 'x' }, { origin }),
    await tokenRequest(url, {}, { origin })
  ]
  t.same(
    answers.map(({ status, headers }) => [status, headers.get('access-control-allow-origin')]),
    [200, 401, 400, 429].map(status => [status, origin])
  )
  t.match(answers[0]?.headers.get('vary'), /Origin, Accept/)
  const read = { headers: { origin, authorization: `Bearer ${token}` } }
  const get = (headers = {}) =>
    fetch(`${url}/graphql?query={allProducts{id}}`, { headers: { ...read.headers, ...headers } })
  const etag = (await get()).headers.get('etag') ?? ''
  const stop = new AbortController()
  const others = [await get(), await get({ 'if-none-match': etag })]
  others.push(await fetch(`${url}/changes`, { ...read, signal: stop.signal }))
  stop.abort()
  t.same(
    others.map(({ status, headers }) => [status, headers.get('access-control-allow-origin')]),
    [200, 304, 200].map(status => [status, origin]),
    'a cached response, an unchanged one and a stream'
  )
  t.match(answers[3]?.headers.get('access-control-expose-headers'), 'Retry-After')
})

t.test('a page of a listed origin may send any headers, such as those for tracing', async t => {
  const asked = 'apollographql-client-name,authorization,baggage,content-type,sentry-trace,x-datadog-trace-id'
  for (const corsOrigins of [origin, '*']) {
    const { url } = await service(t, { corsOrigins, mcp: true })
    for (const path of [
      ...listed,
      '/mcp',
      '/media',
      '/oauth/userinfo',
      '/.well-known/openid-configuration'
    ]) {
      const { status, headers } = await preflight(url + path, origin, asked)
      const allowed = new Set((headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/, ?/))
      t.same([status, asked.split(',').filter(name => !allowed.has(name))], [204, []], path)
      t.notOk(allowed.has('*'), 'a browser would not take it for Authorization')
    }
    const other = await preflight(`${url}/oauth/introspect`, origin, asked)
    t.equal(other.headers.get('access-control-allow-headers'), null)
  }
  const { url } = await service(t, { corsOrigins })
  const evil = await preflight(`${url}/graphql`, 'https://evil.example', asked)
  t.same([evil.status, evil.headers.get('access-control-allow-headers')], [405, null])
})

t.test('the log names an origin that is not listed, and no other', async t => {
  for (const settings of [{}, { corsOrigins }]) {
    const { url, lines } = await loggedService(t, settings)
    const refused = 'https://other.example'
    await preflight(`${url}/graphql`, refused)
    const page = { origin: refused, 'sec-fetch-site': 'cross-site' }
    await tokenRequest(url, {}, page)
    await tokenRequest(url, {}, { origin: url, 'sec-fetch-site': 'same-origin' })
    if ('corsOrigins' in settings) await preflight(`${url}/graphql`)
    const hints = lines.filter(({ msg }) => String(msg).includes('CORS_ORIGINS'))
    t.same(
      hints.map(({ level, origin }) => [level, origin]),
      Array(2).fill([30, refused])
    )
  }
})

t.test('pages of other origins may not', async t => {
  const { url } = await service(t, { corsOrigins })
  for (const from of [
    'https://evil.example',
    'https://app.example.evil.example',
    'http://app.example',
    'null'
  ]) {
    const { status, headers } = await preflight(`${url}/graphql`, from)
    t.same([status, headers.get('access-control-allow-origin')], [405, null], from)
    t.match(headers.get('vary'), 'Origin')
  }
  for (const path of ['/oauth/introspect', '/oauth/authorize', '/oauth/logout', '/livez'])
    t.equal((await preflight(url + path)).headers.get('access-control-allow-origin'), null, path)
  const { url: closed } = await service(t)
  const { status, headers } = await preflight(`${closed}/graphql`)
  t.same([status, headers.get('access-control-allow-origin')], [405, null], 'by default')
  t.notMatch(headers.get('vary'), 'Origin')
})

t.test('all pages may if the list is *', async t => {
  const { url } = await service(t, { corsOrigins: '*' })
  const { status, headers } = await preflight(`${url}/graphql`, 'https://any.example')
  t.same([status, headers.get('access-control-allow-origin')], [204, '*'])
  t.equal(headers.get('vary'), 'Access-Control-Request-Headers, Access-Control-Request-Method')
  for (const path of listed) {
    const kept = await fetch(url + path)
    t.equal(kept.headers.get('access-control-allow-origin'), '*', `${path}: for all who read it from a cache`)
  }
  const alone = { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } }
  t.equal((await fetch(`${url}/graphql`, alone)).status, 405, 'a browser always names the origin')
})

t.test('an origin is written as browsers send it', async t => {
  const db = await database(t)
  for (const wrong of [
    'https://app.example/',
    'app.example',
    'https://*.example',
    '*, https://app.example',
    'null'
  ]) {
    const app = Fastify()
    t.teardown(() => app.close())
    const given = { db, ...cheapHash, corsOrigins: wrong }
    const start = async () => {
      await app.register(productTemplates, given)
    }
    await t.rejects(start(), { code: 'PTS_BAD_OPTION', message: /corsOrigins/ }, wrong)
  }
})
