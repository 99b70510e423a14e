// Runs in test:all only.
/** OpenID Connect: the rows of the basic profile, and the client libraries. */
import { createHash } from 'node:crypto'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { type Test, t } from 'tap'

import type { ServiceOptions } from '../../../index.ts'
import { store, tokens } from '../../../plugins/index.ts'
import { clients } from '../../../store.ts'
import {
  addWebClient,
  authorization,
  authorizePath,
  hiddenFields,
  login,
  pkce,
  redirectUri,
  TestBrowser
} from '../../support/browser/browser.ts'
import { accessToken, basic, graphqlRequest, tokenRequest } from '../../support/http/http.ts'
import { addClient, addUser, host, service, user } from '../../support/service/service.ts'

const scope = 'openid profile email read'

async function start(t: Test, options: ServiceOptions = {}) {
  const running = await service(t, options)
  await addWebClient(running.db, { scopes: ['read', 'profile', 'openid', 'email'] })
  const { url } = running
  const browser = new TestBrowser(url)
  /** Logs in at an authorization URL, and returns where the browser is sent. */
  const visit = async (authorizationUrl: URL): Promise<URL> => {
    const page = await browser.visit(authorizationUrl.href.slice(url.length))
    return (page.location ?? (await browser.submit(page, login)).location) as URL
  }
  /** Logs in, and exchanges the code; returns the token response. */
  const logIn = async (parameters: Record<string, string> = {}) => {
    const { verifier, challenge } = pkce()
    const request = authorization({ client_id: 'web', scope, code_challenge: challenge, ...parameters })
    const back = await visit(new URL(`${url}${authorizePath(request)}`))
    const response = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: back.searchParams.get('code') ?? '',
        client_id: 'web',
        redirect_uri: redirectUri,
        code_verifier: verifier
      })
    })
    return (await response.json()) as Record<string, string>
  }
  const verify = (idToken = '') =>
    jwtVerify(idToken, createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`)), {
      issuer: url,
      audience: 'web',
      requiredClaims: ['sub', 'iat', 'exp', 'auth_time']
    })
  return { ...running, browser, visit, logIn, verify }
}

const userinfo = (url: string, token: string, init: RequestInit = {}) =>
  fetch(`${url}/oauth/userinfo`, { ...init, headers: { authorization: `Bearer ${token}` } })

for (const signingAlgorithm of ['ES256', 'RS256', 'EdDSA'] as const)
  t.test(`O01 an ID token signed with ${signingAlgorithm}: nonce, auth_time, at_hash`, async t => {
    const { url, db, logIn, verify } = await start(t, { signingAlgorithm })
    const before = Math.floor(Date.now() / 1000)
    const { id_token, access_token = '' } = await logIn({ nonce: 'a nonce' })
    const { payload, protectedHeader } = await verify(id_token)
    t.match(protectedHeader, { alg: signingAlgorithm, typ: 'JWT', kid: /./ })
    const [{ id } = { id: '' }] = await db.selectFrom('product_user').select('id').execute()
    t.match(payload, { sub: id, nonce: 'a nonce' })
    const { auth_time, iat = 0, exp = 0 } = payload as { auth_time: number; iat?: number; exp?: number }
    t.ok(auth_time >= before && auth_time <= iat && exp - iat === 600)
    const digest = createHash(signingAlgorithm === 'EdDSA' ? 'sha512' : 'sha256')
      .update(access_token)
      .digest()
    t.equal(payload.at_hash, digest.subarray(0, digest.length / 2).toString('base64url'))
    t.equal(
      (await graphqlRequest(url, id_token ?? '', { query: '{ __typename }' })).status,
      401,
      'the token is not an access token'
    )
    t.notOk('nonce' in (await verify((await logIn()).id_token)).payload, 'only one that was sent')
  })

t.test('O02 auth_time stays that of the login; max_age and prompt make a new one', async t => {
  const { logIn, verify, db, browser } = await start(t)
  const timeOf = async (parameters: Record<string, string> = {}) =>
    (await verify((await logIn(parameters)).id_token)).payload.auth_time as number
  const first = await timeOf()
  await db
    .updateTable('product_session')
    .set({ time_created: new Date((first - 500) * 1000).toISOString().replace('Z', '000Z') })
    .execute()
  t.equal(await timeOf(), first - 500)
  t.equal(await timeOf({ max_age: '600' }), first - 500)
  t.ok((await timeOf({ max_age: '100' })) >= first, 'too long ago')
  t.ok((await timeOf({ prompt: 'login' })) >= first)
  t.equal((await logIn({ prompt: 'none' })).scope, 'read profile openid email')
  browser.cookies.clear()
  const refused = await browser.visit(
    authorizePath(authorization({ client_id: 'web', scope, prompt: 'none' }))
  )
  t.equal(refused.location?.searchParams.get('error'), 'login_required')
})

t.test('id_token_hint: another user than the expected one logs in', async t => {
  const { db, logIn, browser } = await start(t)
  await addUser(db, { email: 'other@example.com' })
  const { id_token: own = '' } = await logIn()
  const [head, , signature] = own.split('.')
  const other = await db
    .selectFrom('product_user')
    .select('id as sub')
    .where('email', '=', 'other@example.com')
    .executeTakeFirstOrThrow()
  const ofOther = [head, Buffer.from(JSON.stringify(other)).toString('base64url'), signature].join('.')
  const ask = async (hint: string, more: object = {}) => {
    const request = authorization({ client_id: 'web', scope, id_token_hint: hint, ...more })
    return browser.visit(authorizePath(request))
  }
  const answerOf = async (hint: string) =>
    [...((await ask(hint, { prompt: 'none' })).location?.searchParams.entries() ?? [])].map(
      ([name, value]) => (name === 'error' ? value : name)
    )[0]
  t.equal(await answerOf(own), 'code')
  t.equal(await answerOf(ofOther), 'login_required')
  t.equal(await answerOf('x'), 'invalid_request')
  const page = await ask(ofOther)
  t.equal(page.location, undefined, 'the login page')
  t.match(hiddenFields(page.text), { id_token_hint: ofOther })
  t.ok((await browser.submit(page, login)).location?.searchParams.get('code'), 'the user decides')
})

t.test('O03 scopes: no ID token without openid, and only for clients with authorization codes', async t => {
  const { url, db, logIn, browser } = await start(t)
  t.notOk((await logIn({ scope: 'read profile' })).id_token)
  const bare = await logIn({ scope: 'openid' })
  t.ok(bare.id_token)
  t.equal((await graphqlRequest(url, bare.access_token ?? '', { query: '{ __typename }' })).status, 403)
  await t.rejects(clients.add(db, { id: 'x', scopes: ['openid'] }), { code: 'PTS_BAD_ARGUMENT' })
  const refused = await tokenRequest(url, { scope: 'openid' })
  t.same([refused.status, ((await refused.json()) as { error: string }).error], [400, 'invalid_scope'])
  const again = await tokenRequest(
    url,
    {
      grant_type: 'refresh_token',
      refresh_token: bare.refresh_token,
      client_id: 'web',
      username: undefined,
      password: undefined
    },
    { authorization: undefined }
  )
  t.same(
    [again.status, 'id_token' in ((await again.json()) as object)],
    [200, false],
    'a refreshed one has none'
  )
  const page = await browser.visit(
    authorizePath(
      authorization({ client_id: 'web', scope, prompt: 'login', login_hint: 'Ada@"x', nonce: 'n' })
    )
  )
  t.match(page.text, /value="Ada@&quot;x"/)
  t.equal(hiddenFields(page.text).nonce, 'n')
  const hint = await browser.visit(
    authorizePath(authorization({ client_id: 'web', login_hint: 'x'.repeat(321) }))
  )
  t.equal(hint.status, 400)
  const long = await browser.visit(
    authorizePath(authorization({ client_id: 'web', nonce: 'n'.repeat(2049) }))
  )
  t.equal(long.status, 400)
})

t.test('O03 beside openid, unknown scopes are ignored; others are still refused', async t => {
  const { url, logIn, browser } = await start(t)
  const tokens = await logIn({ scope: 'openid offline_access address phone read urn:x:y' })
  t.equal(tokens.scope, 'read openid')
  t.ok(tokens.id_token)
  const refresh = { grant_type: 'refresh_token', username: undefined, password: undefined, client_id: 'web' }
  const more = { refresh_token: tokens.refresh_token, scope: 'openid offline_access read' }
  const again = await tokenRequest(url, { ...refresh, ...more }, { authorization: undefined })
  t.same([again.status, ((await again.json()) as { scope: string }).scope], [200, 'read openid'])
  for (const refused of [
    'read offline_access',
    'openid admin',
    'openid write',
    'openid "x"',
    'offline_access'
  ]) {
    const { location } = await browser.visit(
      authorizePath(authorization({ client_id: 'web', scope: refused }))
    )
    t.equal(location?.searchParams.get('error'), 'invalid_scope', refused)
  }
})

t.test('O04 userinfo tells what the scopes allow', async t => {
  const { url, db, logIn } = await start(t)
  const [{ id } = { id: '' }] = await db.selectFrom('product_user').select('id').execute()
  const whole = { sub: id, name: 'Ada Byron', given_name: 'Ada', family_name: 'Byron', email: user.email }
  const { access_token = '', id_token } = await logIn()
  t.same(await (await userinfo(url, access_token)).json(), whole)
  const form = { method: 'POST', body: new URLSearchParams() }
  t.same(await (await userinfo(url, access_token, form)).json(), whole)
  const { email: _, ...profile } = whole
  t.same(
    await (await userinfo(url, (await logIn({ scope: 'openid profile' })).access_token ?? '')).json(),
    profile
  )
  t.same(await (await userinfo(url, (await logIn({ scope: 'openid' })).access_token ?? '')).json(), {
    sub: id
  })
  await db.updateTable('product_user').set({ first_name: '', last_name: '' }).execute()
  t.same(await (await userinfo(url, access_token)).json(), { sub: id, email: user.email }, 'no empty claims')
  for (const [token, status, error] of [
    [await accessToken(url), 403, 'insufficient_scope'],
    [id_token ?? '', 401, 'invalid_token'],
    ['x', 401, 'invalid_token']
  ] as const) {
    const response = await userinfo(url, token)
    t.equal(response.status, status)
    t.match(response.headers.get('www-authenticate'), `error="${error}"`)
    t.equal(((await response.json()) as { error: string }).error, error)
    t.equal(response.headers.get('cache-control'), 'no-store')
  }
  t.equal((await fetch(`${url}/oauth/userinfo`)).status, 401)
})

t.test('O04 userinfo refuses the token of a subject that only the host knows with a challenge', async t => {
  const { url, db } = await start(t)
  const app = host(t)
  await app.register(store, { db })
  await app.register(tokens, { issuer: url })
  const request = { sub: 'me', clientId: 'web', scopes: ['openid'] }
  const { accessToken: token } = await app.productTokens.issue(request)
  const response = await userinfo(url, token)
  t.equal(response.status, 401)
  t.match(response.headers.get('www-authenticate'), 'error="invalid_token"')
})

t.test('O05 openid-client discovers, logs in, checks the ID token and reads userinfo', async t => {
  const { url, visit } = await start(t)
  const configuration = await openid.discovery(new URL(url), 'web', undefined, openid.None(), {
    execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks]
  })
  const verifier = openid.randomPKCECodeVerifier()
  const [state, nonce] = [openid.randomState(), openid.randomNonce()]
  const back = await visit(
    openid.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope,
      state,
      nonce,
      max_age: '3600',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256'
    })
  )
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, maxAge: 3600 }
  const tokens = await openid.authorizationCodeGrant(configuration, back, {
    ...checks,
    idTokenExpected: true
  })
  const sub = tokens.claims()?.sub ?? ''
  t.match(await openid.fetchUserInfo(configuration, tokens.access_token, sub), { sub, email: user.email })
})

t.test('O06 oauth4webapi does the same, with the ID token as a confidential client', async t => {
  const { url, db, visit } = await start(t)
  await addClient(db, {
    id: 'server',
    grantTypes: ['authorization_code'],
    scopes: ['openid', 'email'],
    redirectUris: [redirectUri],
    firstParty: true
  })
  const insecure = { [oauth.allowInsecureRequests]: true }
  const found = await oauth.discoveryRequest(new URL(url), insecure)
  const server = await oauth.processDiscoveryResponse(new URL(url), found)
  const client: oauth.Client = { client_id: 'server', id_token_signed_response_alg: 'ES256' }
  const verifier = oauth.generateRandomCodeVerifier()
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
  const parameters = authorization({
    client_id: 'server',
    scope: 'openid email',
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier)
  })
  const back = await visit(new URL(`${server.authorization_endpoint}?${new URLSearchParams(parameters)}`))
  const callback = oauth.validateAuthResponse(server, client, back, state)
  const authentication: oauth.ClientAuth = (_server, _client, _body, headers) => {
    headers.set('authorization', basic('server'))
  }
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    callback,
    redirectUri,
    verifier,
    insecure
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true
  })
  await oauth.validateApplicationLevelSignature(server, response, insecure)
  const { sub } = oauth.getValidatedIdTokenClaims(tokens) as oauth.IDToken
  const info = await oauth.userInfoRequest(server, client, tokens.access_token, insecure)
  t.match(await oauth.processUserInfoResponse(server, client, sub, info), { sub, email: user.email })
  t.equal(decodeProtectedHeader(tokens.id_token as string).alg, 'ES256')
})
