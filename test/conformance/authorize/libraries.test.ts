// Runs on SQLite only, in test:all only: login.test.ts and passkeys.test.ts do what pages show on both engines.
/** The flow as client libraries and attackers drive it. */
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { type Test, t } from 'tap'
import {
  addWebClient,
  authorization,
  authorizePath,
  hiddenFields,
  login,
  redirectUri,
  TestBrowser,
  type Visit
} from '../../support/browser/browser.ts'
import { anyText, anyUrl } from '../../support/generated/any-text.ts'
import fc from '../../support/generated/fast-check.ts'
import { query } from '../../support/http/http.ts'
import { addClient, service } from '../../support/service/service.ts'

async function start(t: Test) {
  const { app, db, url } = await service(t)
  await addWebClient(db)
  const browser = new TestBrowser(url)
  /** Logs in at an authorization URL, and returns where the browser is sent. */
  const visit = async (authorizationUrl: URL): Promise<URL> => {
    const page = await browser.visit(authorizationUrl.href.slice(url.length))
    return (page.location ?? (await browser.submit(page, login)).location) as URL
  }
  return { app, db, url, browser, visit }
}

t.test('oauth4webapi logs in, refreshes and revokes', async t => {
  const { url, visit } = await start(t)
  const insecure = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(url)
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  const server = await oauth.processDiscoveryResponse(issuer, found)
  const client: oauth.Client = { client_id: 'web' }
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const parameters = authorization({
    client_id: 'web',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier)
  })
  const back = await visit(new URL(`${server.authorization_endpoint}?${new URLSearchParams(parameters)}`))
  const callback = oauth.validateAuthResponse(server, client, back, state)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    callback,
    redirectUri,
    verifier,
    insecure
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response)
  t.equal((await query(url, tokens.access_token, '{ allProducts { id } }')).status, 200)
  const again = await oauth.refreshTokenGrantRequest(
    server,
    client,
    oauth.None(),
    tokens.refresh_token as string,
    insecure
  )
  const refreshed = await oauth.processRefreshTokenResponse(server, client, again)
  const revoked = await oauth.revocationRequest(
    server,
    client,
    oauth.None(),
    refreshed.refresh_token as string,
    insecure
  )
  await oauth.processRevocationResponse(revoked)
  t.equal((await query(url, refreshed.access_token, '{ allProducts { id } }')).status, 401)
})

t.test('a response of another server is refused by its issuer: mix-up, RFC 9207', async t => {
  const { url, visit } = await start(t)
  const state = oauth.generateRandomState()
  const parameters = authorization({ client_id: 'web', state })
  const back = await visit(new URL(`${url}${authorizePath(parameters)}`))
  const other = { issuer: 'https://evil.example', authorization_response_iss_parameter_supported: true }
  t.throws(() => oauth.validateAuthResponse(other, { client_id: 'web' }, back, state), /"iss"/)
})

t.test('openid-client logs in', async t => {
  const { url, visit } = await start(t)
  const configuration = await openid.discovery(new URL(url), 'web', undefined, openid.None(), {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests]
  })
  const verifier = openid.randomPKCECodeVerifier()
  const state = openid.randomState()
  const address = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'read',
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256'
  })
  const checks = { pkceCodeVerifier: verifier, expectedState: state }
  const tokens = await openid.authorizationCodeGrant(configuration, await visit(address), checks)
  t.equal(tokens.scope, 'read')
  t.equal((await query(url, tokens.access_token, '{ allProducts { id } }')).status, 200)
})

const strange = fc.oneof(
  anyText(),
  anyUrl,
  fc.constantFrom(
    redirectUri,
    'https://evil.example',
    '//evil.example',
    'javascript:alert(1)',
    '',
    '%0d%0aLocation: x',
    'none',
    'login',
    'allow'
  )
)

/** One to three changes of the parameters with these names. */
const changesOf = (...names: string[]) =>
  fc.array(
    fc.record({
      name: fc.oneof(fc.constantFrom(...names), fc.string()),
      value: strange,
      replaces: fc.boolean()
    }),
    {
      minLength: 1,
      maxLength: 3
    }
  )

type Changes = { name: string; value: string; replaces: boolean }[]

function change(parameters: Record<string, string>, changes: Changes): string {
  const form = new URLSearchParams(parameters)
  for (const { name, value, replaces } of changes)
    form[replaces ? 'set' : 'append'](name.toWellFormed(), value.toWellFormed())
  return form.toString()
}

/** Throws if an answer is a failure, or leads anywhere but to the client, with all that a response must have. */
function checkAnswer({ status, location }: Visit, url: string): void {
  if (status >= 500) throw new Error(`${status}`)
  if (!location || location.href.startsWith(`${url}/oauth/authorize?`)) return
  const count = (name: string) => location.searchParams.getAll(name).length
  const isRight = count('iss') === 1 && count('code') + count('error') === 1
  if (`${location.origin}${location.pathname}` !== redirectUri || !isRight) throw new Error(location.href)
}

t.test('P05 P20 whatever the parameters are, no redirect leads to a URI that is not registered', async t => {
  const { url, browser } = await start(t)
  await browser.submit(await browser.visit(authorizePath(authorization({ client_id: 'web' }))), login)
  const names = [...Object.keys(authorization()), 'decision', 'csrf', 'request', 'prompt']
  await fc.assert(
    fc.asyncProperty(changesOf(...names), fc.boolean(), async (changes, byPost) => {
      const form = change(authorization({ client_id: 'web' }), changes)
      const answer = byPost
        ? await browser.post('/oauth/authorize', form)
        : await browser.visit(`/oauth/authorize?${form}`)
      checkAnswer(answer, url)
    }),
    { numRuns: 75 }
  )
  t.pass()
})

t.test('P05 P20 a form with changed values redirects nowhere else', async t => {
  const { db, url, browser } = await start(t)
  const grants = { grantTypes: ['authorization_code'], isPublic: true, redirectUris: [redirectUri] }
  await addClient(db, { id: 'guest', ...grants })
  const page = await browser.visit(authorizePath(authorization({ client_id: 'guest' })))
  const consent = await browser.submit(page, login)
  const fields = hiddenFields(consent.text)
  t.match(fields, { csrf: String, client_id: 'guest' })
  const cookies = [...browser.cookies]
  const decisions = fc.constantFrom('allow', 'cancel', 'login')
  const seen = new Set<number | 'code'>()
  await fc.assert(
    fc.asyncProperty(
      changesOf(...Object.keys(fields), 'prompt', 'max_age'),
      decisions,
      async (changes, decision) => {
        for (const [name, value] of cookies) browser.cookies.set(name, value)
        const answer = await browser.post('/oauth/authorize', change({ ...fields, decision }, changes))
        checkAnswer(answer, url)
        seen.add(answer.location?.searchParams.has('code') ? 'code' : answer.status)
      }
    ),
    { numRuns: 75 }
  )
  t.ok(seen.has('code') && seen.has(303) && seen.has(400), [...seen].join())
})
