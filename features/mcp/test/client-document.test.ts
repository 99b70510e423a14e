// Runs in test:all only.
/** Clients that a document at their id describes: draft-ietf-oauth-client-id-metadata-document. */
import { setTimeout } from 'node:timers/promises'
import { type Test, t } from 'tap'
import { listClients } from '../../../accounts/clients.ts'
import { listEvents } from '../../../db/audit/read.ts'
import { productTemplates, type ServiceOptions } from '../../../index.ts'
import { clients } from '../../../store.ts'
import {
  authorization,
  authorizePath,
  login,
  pkce,
  TestBrowser
} from '../../../test/support/browser/browser.ts'
import { onlyOn } from '../../../test/support/database/only-on.ts'
import { tokenRequest } from '../../../test/support/http/http.ts'
import { describeClient, logIn, privateNetworks, startSite } from '../../../test/support/http/mcp.ts'
import { database, host, service, user } from '../../../test/support/service/service.ts'
import { isDocumentUrl } from '../client-document.ts'

const start = (t: Test, options: ServiceOptions = {}) =>
  service(t, { mcp: true, privateNetworks, ...options })

const redirect_uri = 'http://127.0.0.1:4567/callback'

/** Asks for a login; returns the page. */
const ask = (url: string, client_id: string, more: Record<string, string> = {}) =>
  new TestBrowser(url).visit(authorizePath(authorization({ client_id, redirect_uri, ...more })))

onlyOn(
  'sqlite',
  'a client id is a document if it is an https URL with a path, as a parser writes it',
  async t => {
    t.ok(isDocumentUrl('https://app.example/client.json'))
    t.ok(isDocumentUrl('https://app.example:8443/a/b?v=1'))
    for (const id of [
      'https://app.example/',
      'https://app.example',
      'http://app.example/client.json',
      'HTTPS://app.example/client.json',
      'https://APP.example/client.json',
      'https://app.example:443/client.json',
      'https://app.example/a/../client.json',
      'https://app.example/client.json#x',
      'https://app.example/client.json#',
      'https://user@app.example/client.json',
      'https://:x@app.example/client.json',
      ' https://app.example/client.json',
      `https://app.example/${'x'.repeat(500)}`,
      'explorer'
    ])
      t.notOk(isDocumentUrl(id), id)
  }
)

onlyOn('sqlite', 'the document is checked, and the page says what is wrong with it', async t => {
  const { url } = await start(t)
  const wrong: [document: object, headers: Record<string, string>, text: RegExp][] = [
    [{ client_id: 'https://other.example/client.json' }, {}, /client_id must be the URL of the document/],
    [{ client_id: undefined }, {}, /client_id must be a text/],
    [{ redirect_uris: undefined }, {}, /redirect_uris must be a list/],
    [{ redirect_uris: [] }, {}, /redirect_uris must be a list/],
    [{ token_endpoint_auth_method: undefined }, {}, /token_endpoint_auth_method must be `none`/],
    [{ token_endpoint_auth_method: 'client_secret_basic' }, {}, /token_endpoint_auth_method must be/],
    [{ client_secret: 'x' }, {}, /must not contain client_secret/],
    [{}, { 'content-type': 'text/html' }, /it is not a JSON object/],
    [{ more: 'x'.repeat(20_000) }, {}, /cannot be read/],
    [{ redirect_uris: ['https://app.example/callback'] }, {}, /redirect_uri is missing or not registered/],
    [
      { redirect_uris: ['http://evil.example/callback', 'javascript:alert(1)'] },
      {},
      /redirect_uri is missing/
    ]
  ]
  for (const [document, headers, text] of wrong) {
    const { id } = await describeClient(t, document, headers)
    const page = await ask(url, id)
    t.equal(page.status, 400)
    t.match(page.text, text)
    t.equal(page.location, undefined, 'nobody is sent anywhere')
  }
})

onlyOn('sqlite', 'a site that redirects, fails, hangs up or is not public is not followed', async t => {
  const { url } = await start(t, { privateNetworks: '127.0.0.0/8 ::1/128' })
  const { id: good } = await describeClient(t)
  const answers: Record<string, [status: number, location?: string]> = {
    '/moved': [302, good],
    '/gone': [404]
  }
  const site = await startSite(t, (request, response) => {
    const [status, location] = answers[request.url ?? ''] ?? []
    if (status === undefined) request.socket.destroy()
    else response.writeHead(status, location === undefined ? {} : { location }).end()
  })
  t.match((await ask(url, `${site}/moved`)).text, /the response has the status 302, not 200/)
  t.match((await ask(url, `${site}/gone`)).text, /the response has the status 404/)
  t.match((await ask(url, `${site}/closed`)).text, /cannot be read/)
  const { url: strict } = await service(t, { mcp: true })
  for (const id of [
    good,
    good.replace('localhost', '127.0.0.1'),
    'https://[::1]/x',
    'https://169.254.169.254/x'
  ])
    t.match(await ask(strict, id), { status: 400, text: /cannot be read/ }, id)
  const { url: off } = await service(t)
  t.match((await ask(off, good)).text, /client_id is missing or unknown/)
})

onlyOn('sqlite', 'the end of the service does not wait for a document', async t => {
  const closing = new AbortController()
  const app = host(t)
  app.decorate('productDrain', { announced: new AbortController().signal, closing: closing.signal })
  await app.register(productTemplates, { db: await database(t), mcp: true, privateNetworks })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const silent = await startSite(t, () => closing.abort())
  t.equal((await ask(url, `${silent}/client.json`)).status, 503)
})

onlyOn(
  'sqlite',
  'the redirect URI is one of the document; a loopback may have any port, localhost too',
  async t => {
    const { url } = await start(t)
    const { id } = await describeClient(t, {
      redirect_uris: ['http://localhost/cb', 'https://app.example/cb']
    })
    const status = async (uri: string) => (await ask(url, id, { redirect_uri: uri })).status
    for (const uri of ['http://localhost/cb', 'http://localhost:1234/cb', 'https://app.example/cb'])
      t.equal(await status(uri), 200, uri)
    for (const uri of [
      'http://localhost:1234/other',
      'http://localhost.evil.example:1234/cb',
      'http://localhost:99999/cb',
      'http://127.0.0.1:1234/cb',
      'https://app.example:8443/cb',
      'https://app.example/cb/'
    ])
      t.equal(await status(uri), 400, uri)
  }
)

onlyOn('sqlite', 'it is fetched again when its Cache-Control says so, within bounds', async t => {
  const { url } = await start(t)
  const realNow = performance.now
  t.teardown(() => {
    performance.now = realNow
  })
  const cases: [cacheControl: string | undefined, seconds: number][] = [
    [undefined, 300],
    ['no-store', 60],
    ['max-age=0', 60],
    ['public, max-age=1000', 1000],
    ['max-age=99999999999', 86_400]
  ]
  for (const [cacheControl, seconds] of cases) {
    const { id, seen } = await describeClient(
      t,
      {},
      cacheControl === undefined ? {} : { 'cache-control': cacheControl }
    )
    const askAfter = async (later: number) => {
      performance.now = () => realNow.call(performance) + later * 1000
      // The cache looks at the clock once in a millisecond.
      await setTimeout(2)
      await ask(url, id)
      return seen.length
    }
    t.equal(await askAfter(0), 1)
    t.equal(await askAfter(seconds - 20), 1, `${cacheControl}`)
    t.equal(await askAfter(seconds + 20), 2, `${cacheControl}`)
    performance.now = realNow
  }
})

t.test('nobody is stored before a consent, and then what the document says, but never more', async t => {
  const { url, db } = await start(t)
  const { id, host } = await describeClient(t, {
    client_name: `Bank (bank.example)\u202E${'🏦'.repeat(60)}`,
    scope: 'read write openid',
    first_party: true,
    grant_types: ['authorization_code', 'password', 'client_credentials']
  })
  const ids = async () => (await listClients(db)).map(({ id }) => id)
  const before = await ids()
  const { challenge, verifier } = pkce()
  const address = new URL(
    `${url}${authorizePath(authorization({ client_id: id, redirect_uri, code_challenge: challenge }))}`
  )
  await ask(url, id)
  t.same(await ids(), before)
  const { consent, done } = await logIn(url, address)
  t.match(
    consent.text,
    `<strong>Bank bank.example ${'🏦'.repeat(42)} (${host})</strong>`,
    'the host is not hidden'
  )
  const stored = (await listClients(db)).find(client => client.id === id)
  t.match(stored, {
    isPublic: true,
    firstParty: false,
    mayIntrospect: false,
    grantTypes: ['authorization_code'],
    scopes: ['read', 'write'],
    displayName: `Bank bank.example ${'🏦'.repeat(42)} (${host})`
  })
  const events = await listEvents(db, { target: id }, 10)
  t.match(events, [{ action: 'client.add', name: user.email, details: { scopes: ['read', 'write'] } }])
  const code = done.location?.searchParams.get('code') ?? ''
  const form = {
    grant_type: 'authorization_code',
    username: undefined,
    password: undefined,
    client_id: id,
    redirect_uri,
    code
  }
  const httpRequest = (more: Record<string, string>) =>
    tokenRequest(url, { ...form, ...more }, { authorization: undefined })
  const tokens = (await (await httpRequest({ code_verifier: verifier })).json()) as Record<string, string>
  t.equal(tokens.scope, 'read')
  t.notOk('refresh_token' in tokens)
  t.equal((await httpRequest({ code_verifier: verifier })).status, 400, 'once')

  await clients.update(db, id, { scopes: ['read'] })
  const { status, text } = await ask(url, id, { scope: 'write' })
  t.match(
    [status, text],
    [400, /the scope is malformed, unknown or not allowed/],
    'what an operator takes away'
  )
  await clients.disable(db, id)
  t.match(await ask(url, id), { status: 400, text: /client_id is missing or unknown/ })
})

t.test('a wrong or silent request leads nobody to a site that is not registered', async t => {
  const { url } = await start(t)
  const uri = 'https://phish.example/login'
  const { id } = await describeClient(t, { redirect_uris: [uri] })
  const browser = new TestBrowser(url)
  const request = (more: Record<string, string | undefined>) =>
    browser.visit(authorizePath(authorization({ client_id: id, redirect_uri: uri, ...more })))
  const wrong: [Record<string, string | undefined>, RegExp][] = [
    [{ prompt: 'none' }, /the user is not logged in|the user has not given consent/],
    [{ response_type: 'x' }, /the response type must be code/],
    [{ scope: 'nonsense' }, /the scope is malformed/],
    [{ code_challenge: undefined }, /code_challenge is missing/],
    [{ request: 'x' }, /the parameter request is not supported/]
  ]
  const areRefused = async (about: string) => {
    for (const [more, text] of wrong) {
      const page = await request(more)
      t.match([page.status, page.text], [400, text], `${JSON.stringify(more)} ${about}`)
      t.equal(page.location, undefined)
    }
  }
  await areRefused('without a login')
  const page = await request({})
  t.match(page.text, 'You will return to <strong>phish.example</strong>', 'who cancels knows where it leads')
  const consent = await browser.submit(page, login)
  t.match(consent.text, 'Allow access?')
  await areRefused('after a login')
  for (const asked of [await request({ prompt: 'login' }), consent]) {
    const { status, location } = await browser.submit(asked, { decision: 'cancel' })
    t.equal(status, 303)
    t.match(location?.href, /^https:\/\/phish\.example\/login\?error=access_denied&/, 'the user cancels')
  }
  await browser.submit(consent, { decision: 'allow' })
  t.ok((await request({ prompt: 'none' })).location?.searchParams.has('code'), 'the user trusts it')
})

t.test('PKCE is required, as of every client', async t => {
  const { url } = await start(t)
  const { id } = await describeClient(t)
  const page = await ask(url, id, { code_challenge_method: 'plain' })
  t.match([page.status, page.text], [400, /code_challenge_method must be S256/])
})

t.test(
  'while MCP is off, a client that has described itself is unknown, and comes back with MCP',
  async t => {
    const { url, db } = await start(t)
    const { id } = await describeClient(t)
    const { challenge, verifier } = pkce()
    const asked = authorization({ client_id: id, redirect_uri, code_challenge: challenge })
    const { done } = await logIn(url, new URL(`${url}${authorizePath(asked)}`))
    const off = host(t)
    await off.register(productTemplates, { db })
    const offUrl = await off.listen({ port: 0, host: '127.0.0.1' })
    const send = (endpoint: string, more: Record<string, string>) =>
      fetch(endpoint, { method: 'POST', body: new URLSearchParams({ client_id: id, ...more }) })
    const code = done.location?.searchParams.get('code') ?? ''
    const exchange = { grant_type: 'authorization_code', redirect_uri, code, code_verifier: verifier }
    const { refresh_token = '' } = (await (await send(`${url}/oauth/token`, exchange)).json()) as Record<
      string,
      string
    >
    const refresh = { grant_type: 'refresh_token', refresh_token }
    const refused = await send(`${offUrl}/oauth/token`, refresh)
    t.equal(refused.status, 401)
    t.match(await refused.json(), { error: 'invalid_client' })
    t.equal(
      (await send(`${url}/oauth/token`, refresh)).status,
      200,
      'the refused request has changed nothing'
    )
    t.equal(
      (await send(`${offUrl}/oauth/revoke`, { token: refresh_token })).status,
      200,
      'a client may always revoke'
    )
  }
)
