// Runs on SQLite only: login.test.ts and passkeys.test.ts do what pages show on both engines.
/** Authorization requests: what becomes a page, what a redirect. RFC 6749 §4.1, RFC 9700 §2.1. */

import { type Test, t } from 'tap'
import { hashSecret } from '../../../accounts/credentials/secrets.ts'
import { updateStoredClient } from '../../../db/accounts/clients.ts'
import { productTemplates } from '../../../index.ts'
import {
  authorization,
  authorizePath,
  redirectUri,
  TestBrowser,
  type Visit
} from '../../support/browser/browser.ts'
import { addClient, cheapHash, client, database, host, service } from '../../support/service/service.ts'

const loopback = 'http://127.0.0.1/callback'
const loopback6 = 'http://[::1]/callback'
const withQuery = 'https://app.example/callback?app=1'
const withPort = 'http://127.0.0.1:9000/callback'

async function start(t: Test, options = {}) {
  const { db, url } = await service(t, options)
  const redirectUris = [redirectUri, loopback, loopback6, withQuery, withPort, 'http://localhost/callback']
  await addClient(db, { id: 'web', grantTypes: ['authorization_code'], isPublic: true, redirectUris })
  const browser = new TestBrowser(url)
  const ask = (more: Record<string, string | undefined> = {}) =>
    browser.visit(authorizePath(authorization({ client_id: 'web', ...more })))
  return { db, url, browser, ask }
}

/** Checks a page that says what is wrong, and leads nowhere. */
function refusedByPage(t: Test, { status, headers, text, location }: Visit, about = '') {
  t.same([status, location], [400, undefined], about)
  t.match(headers.get('content-type'), 'text/html')
  t.match(text, 'This request cannot be answered')
}

function refusedByRedirect(t: Test, { status, location }: Visit, error: string, about = '') {
  t.equal(status, 302, about)
  t.ok(location?.href.startsWith(`${redirectUri}?`), about)
  t.equal(location?.searchParams.get('error'), error, about)
  t.notOk(location?.searchParams.has('code'), about)
}

t.test('P01 a request without a session shows a login page that nothing else can use', async t => {
  const { ask } = await start(t)
  const { status, headers, text } = await ask()
  t.equal(status, 200)
  t.match(text, /<input name="username".*<input id="password" name="password" type="password"/s)
  t.equal(headers.get('cache-control'), 'no-store')
  t.equal(headers.get('referrer-policy'), 'no-referrer')
  t.equal(headers.get('x-frame-options'), 'DENY')
  const policy = headers.get('content-security-policy') ?? ''
  t.match(policy, "default-src 'none'")
  t.match(policy, "frame-ancestors 'none'")
  t.match(policy, "form-action 'self' https:;")
  t.notMatch(policy, /unsafe/)
  const [, hash = ''] =
    text.match(/<script src="show-password\.js[^"]*" integrity="([^"]*)" defer><\/script>/) ?? []
  t.equal(policy.match(/script-src[^;]*/)?.[0], `script-src '${hash}'`, 'no other script may run')
  t.equal(text.match(/<script/g)?.length, 1)
  t.notMatch(text, /\son\w+=|style="/)
})

t.test('P02 the same by POST', async t => {
  const { browser } = await start(t)
  const headers = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }
  const parameters = authorization({ client_id: 'web', state: 'ü & "+' })
  const withoutCookie = await browser.post('/oauth/authorize', parameters, headers)
  t.equal(withoutCookie.status, 303)
  t.same(withoutCookie.headers.getSetCookie(), [], 'the cookie of a session would be lost')
  t.match(withoutCookie.location?.href, /\/oauth\/authorize\?/)
  t.same(Object.fromEntries(withoutCookie.location?.searchParams ?? []), parameters)
  await browser.visit(`/oauth/authorize${withoutCookie.location?.search}`)
  const page = await browser.post('/oauth/authorize', parameters, headers)
  t.equal(page.status, 200)
  t.match(page.text, 'name="password"')
  const twice = await browser.post('/oauth/authorize?client_id=web', authorization({ client_id: 'web' }))
  refusedByPage(t, twice, 'parameters in the URL and in the body')
})

t.test('P03 an unknown client gets a page', async t => {
  const { db, url, ask } = await start(t)
  for (const id of [undefined, '', 'nobody', '<script>alert(1)</script>', 'WEB'])
    refusedByPage(t, await ask({ client_id: id }), id)
  t.notMatch((await ask({ client_id: '<script>alert(1)</script>' })).text, 'alert(1)')
  const path = authorizePath(authorization({ client_id: 'web' }))
  refusedByPage(t, await new TestBrowser(url).visit(`${path}&client_id=web`), 'twice')
  await updateStoredClient(db, 'web', { disabled: true })
  refusedByPage(t, await ask(), 'disabled')
})

t.test('P04 P05 a redirect URI is registered to the letter, or there is a page', async t => {
  const { ask, url } = await start(t)
  const other = [
    undefined,
    'callback',
    'https://app.example/CALLBACK',
    'https://APP.example/callback',
    'https://app.example/callback/',
    'https://app.example/callback?',
    'https://app.example/callback?x=1',
    'https://app.example/callback#',
    'https://app.example/callback#x',
    'https://user@app.example/callback',
    'https://app.example:443/callback',
    'https://app.example:8443/callback',
    'https://app.example/./callback',
    'https://app.example/x/../callback',
    'https://app.example/c%61llback',
    'https://app.example./callback',
    'https://app.example.evil.example/callback',
    'https://evil.example/?https://app.example/callback',
    'http://app.example/callback',
    '//app.example/callback',
    'https:\\\\app.example\\callback',
    'javascript:alert(1)',
    'https://app.example/callback?app=2'
  ]
  for (const uri of other) refusedByPage(t, await ask({ redirect_uri: uri }), uri)
  const path = authorizePath(authorization({ client_id: 'web' }))
  const twice = `${path}&redirect_uri=${encodeURIComponent(redirectUri)}`
  refusedByPage(t, await new TestBrowser(url).visit(twice), 'twice')
  const wrong = await ask({ redirect_uri: withQuery, response_type: 'token' })
  t.ok(wrong.location?.href.startsWith(`${withQuery}&error=`), 'a registered query stays')
})

t.test('P06 a loopback redirect may have any port, if it is registered without one', async t => {
  const { ask } = await start(t)
  for (const uri of [loopback, 'http://127.0.0.1:51004/callback', 'http://[::1]:1/callback', withPort]) {
    const page = await ask({ redirect_uri: uri })
    t.equal(page.status, 200, uri)
    // The grammar of sources has no IPv6 address.
    const source = uri.includes('[') ? 'http:' : new URL(uri).origin
    t.match(page.headers.get('content-security-policy'), `form-action 'self' https: ${source};`)
  }
  for (const uri of [
    'http://localhost:51004/callback',
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:99999/callback',
    'http://127.0.0.1:/callback',
    'http://127.0.0.2:80/callback',
    'http://127.0.0.1:80@evil.example/callback',
    'https://127.0.0.1:80/callback'
  ])
    refusedByPage(t, await ask({ redirect_uri: uri }), uri)
})

t.test(
  'P08 P09 P10 P11 P12 P13 P14 P17 P20 what else is wrong goes back to the client, with state and issuer',
  async t => {
    const { db, ask, url } = await start(t)
    const challenge = 'x'.repeat(43)
    const cases: [string, Record<string, string | undefined>][] = [
      ['invalid_request', { response_type: undefined }],
      ['unsupported_response_type', { response_type: 'token' }],
      ['unsupported_response_type', { response_type: 'id_token' }],
      ['unsupported_response_type', { response_type: 'code token' }],
      ['unsupported_response_type', { response_type: 'CODE' }],
      ['invalid_request', { code_challenge: undefined }],
      ['invalid_request', { code_challenge_method: undefined }],
      ['invalid_request', { code_challenge_method: 'plain' }],
      ['invalid_request', { code_challenge_method: 's256' }],
      ['invalid_request', { code_challenge: `${challenge}x` }],
      ['invalid_request', { code_challenge: challenge.slice(1) }],
      ['invalid_request', { code_challenge: `${challenge.slice(1)}=` }],
      ['invalid_scope', { scope: 'admin' }],
      ['invalid_scope', { scope: 'read  write' }],
      ['invalid_scope', { scope: 'read "x"' }],
      ['request_not_supported', { request: 'x' }],
      ['request_uri_not_supported', { request_uri: 'urn:x' }],
      ['login_required', { prompt: 'none' }],
      ['invalid_request', { prompt: 'none login' }],
      ['invalid_request', { max_age: '-1' }],
      ['invalid_request', { response_mode: 'fragment' }],
      ['invalid_request', { response_mode: 'form_post' }]
    ]
    for (const [error, more] of cases) {
      const refused = await ask({ ...more, state: 'back & forth+' })
      refusedByRedirect(t, refused, error, JSON.stringify(more))
      t.equal(refused.location?.searchParams.get('iss'), url)
      t.equal(refused.location?.searchParams.get('state'), 'back & forth+')
    }
    t.equal((await ask({ response_mode: 'query' })).status, 200)
    await addClient(db, { id: 'half', grantTypes: ['refresh_token'], redirectUris: [redirectUri] })
    refusedByRedirect(t, await ask({ client_id: 'half' }), 'unauthorized_client')
    await addClient(db, {
      id: 'confidential',
      secretHash: hashSecret('x'),
      grantTypes: ['authorization_code'],
      scopes: ['read'],
      redirectUris: [redirectUri]
    })
    const confidential = { client_id: 'confidential', code_challenge: undefined }
    refusedByRedirect(t, await ask(confidential), 'invalid_request', 'also a confidential client needs PKCE')
    refusedByRedirect(t, await ask({ client_id: 'confidential', scope: 'read write' }), 'invalid_scope')
    t.match(
      (await ask({ scope: undefined })).text,
      'name="scope" value="read write"',
      'by default, all scopes'
    )
  }
)

t.test('P15 state comes back to the byte, or there is a page', async t => {
  const { ask } = await start(t)
  for (const state of ['x'.repeat(2048), `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~ a`, 'ü 日本 😀']) {
    const refused = await ask({ state, response_type: 'x' })
    t.equal(refused.location?.searchParams.get('state'), state)
  }
  t.notOk((await ask({ state: undefined, response_type: 'x' })).location?.searchParams.has('state'))
  refusedByPage(t, await ask({ state: 'x'.repeat(2049) }))
  const { text } = await ask({ state: '"><script>alert(1)</script>' })
  t.match(text, 'value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"', 'escaped in the page')
})

t.test('P16 P17 repeated parameters are refused, unknown ones ignored', async t => {
  const { browser, ask } = await start(t)
  const path = authorizePath(authorization({ client_id: 'web' }))
  for (const name of ['scope', 'response_type', 'code_challenge', 'unknown'])
    refusedByRedirect(t, await browser.visit(`${path}&${name}=x&${name}=x`), 'invalid_request', name)
  const states = await browser.visit(`${path}&state=x`)
  refusedByRedirect(t, states, 'invalid_request', 'state')
  t.notOk(states.location?.searchParams.has('state'), 'nobody knows which')
  t.equal((await ask({ unknown: 'x', nonce: 'y' })).status, 200)
})

t.test('P39 other methods are refused', async t => {
  const { browser } = await start(t)
  for (const path of ['/oauth/authorize', '/oauth/logout'])
    for (const method of ['HEAD', 'OPTIONS', 'PUT', 'DELETE']) {
      const { status, headers } = await browser.visit(path, { method })
      t.same([status, headers.get('allow')], [405, 'GET, POST'], `${method} ${path}`)
    }
})

t.test('P40 malformed parameters get a page', async t => {
  const { browser } = await start(t)
  const path = authorizePath(authorization({ client_id: 'web' }))
  for (const more of ['x=%00', 'x=%0A', 'state=%1b', 'x=%ff', 'x=%zz', '%00=x', `x=${'y'.repeat(16_384)}`]) {
    const get = await browser.visit(`${path}&${more}`).catch(() => undefined)
    if (get && get.status !== 431) refusedByPage(t, get, more.slice(0, 20))
    refusedByPage(
      t,
      await browser.post('/oauth/authorize', `${path.split('?')[1]}&${more}`),
      more.slice(0, 20)
    )
  }
  const json = await browser.visit('/oauth/authorize', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}'
  })
  t.same([json.status, json.headers.get('content-type')], [415, 'text/html; charset=utf-8'])
})

t.test('P38 no other origin may read the authorization endpoint', async t => {
  const { browser } = await start(t)
  const { headers } = await browser.visit(authorizePath(authorization({ client_id: 'web' })), {
    headers: { origin: 'https://app.example' }
  })
  t.equal(headers.get('access-control-allow-origin'), null)
})

t.test('P38 nor if the host allows it for all that it serves', async t => {
  const app = host(t)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Access-Control-Allow-Origin', 'https://app.example')
  })
  await app.register(productTemplates, { db: await database(t), ...cheapHash })
  for (const url of ['/oauth/authorize', '/oauth/logout'])
    t.notMatch((await app.inject(url)).headers, { 'access-control-allow-origin': String }, url)
})

t.test('a client without redirect URIs is refused', async t => {
  const { ask } = await start(t)
  refusedByPage(t, await ask({ client_id: client.id }))
})
