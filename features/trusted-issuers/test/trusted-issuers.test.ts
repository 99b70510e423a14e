// Runs on SQLite only, in test:all only.
/** Tokens of other issuers: RFC 9068 §4, RFC 8725. A real provider is in trusted-provider.test.ts. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mock } from 'node:test'
import { SignJWT } from 'jose'
import { type Test, t } from 'tap'
import { setUserDisabled } from '../../../db/accounts/users.ts'
import type { ServiceOptions } from '../../../index.ts'
import { accessToken, basic, graphqlRequest, query } from '../../../test/support/http/http.ts'
import { makeKey, startIssuer } from '../../../test/support/identity/issuer.ts'
import { addClient, addTemplates, service } from '../../../test/support/service/service.ts'

/** Starts an issuer and a service that trusts it. */
async function trusting(t: Test, entry: object = {}, options: ServiceOptions = {}) {
  const issuer = await startIssuer(t)
  const trustedIssuers = JSON.stringify([{ issuer: issuer.issuer, audience: issuer.audience, ...entry }])
  return { issuer, ...(await service(t, { trustedIssuers, ...options })) }
}

const ask = async (url: string, token: string, text = '{ __typename }') => {
  const response = await graphqlRequest(url, token, { query: text })
  return { status: response.status, challenge: response.headers.get('www-authenticate') }
}

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')

t.test('E01 a token of a trusted issuer reads, and its keys are read once', async t => {
  const { issuer, url, db } = await trusting(t)
  await addTemplates(db, { id: 1 })
  const token = await issuer.sign()
  for (let time = 0; time < 3; time++) {
    const { status, body } = await query(url, token, '{ allProducts { id } viewer { name scopes } }')
    t.same([status, body.data.allProducts, body.data.viewer.scopes], [200, [{ id: 1 }], ['read']])
  }
  t.equal(
    (await ask(url, await issuer.sign({ aud: ['other', issuer.audience], jti: 'another' }))).status,
    200
  )
  t.same(issuer.asked, ['/.well-known/openid-configuration', '/keys'])
  t.equal((await ask(url, await accessToken(url))).status, 200, 'a token of our own')
})

t.test('E02 every bad token of a trusted issuer is 401 with one identical answer', async t => {
  const { issuer, url } = await trusting(t)
  const other = await startIssuer(t)
  const now = Math.floor(Date.now() / 1000)
  const good = await issuer.sign()
  const [head = '', body = '', signature = ''] = good.split('.')
  const stranger = await makeKey('first')
  const rsa = await makeKey('first', 'RS256')
  const spki = Buffer.from(JSON.stringify(issuer.key().publicJwk))
  const own = await accessToken(url)
  const ownClaims = JSON.parse(Buffer.from(own.split('.')[1] as string, 'base64url').toString())
  const tokens: Record<string, string> = {
    expired: await issuer.sign({ exp: now - 1 }),
    'expires now': await issuer.sign({ exp: now }),
    'not yet valid': await issuer.sign({ nbf: now + 3600 }),
    'no exp': await issuer.sign({ exp: undefined }),
    'no sub': await issuer.sign({ sub: undefined }),
    'empty sub': await issuer.sign({ sub: '' }),
    'a long sub': await issuer.sign({ sub: 's'.repeat(256) }),
    'sub is a number': await issuer.sign({ sub: 7 }),
    'sub with U+0000': await issuer.sign({ sub: 'da\0na' }),
    'sub with a lone surrogate': await issuer.sign({ sub: 'dana\uD800' }),
    'a client with U+0000': await issuer.sign({ client_id: '\0' }),
    'no audience': await issuer.sign({ aud: undefined }),
    'the audience of another service': await issuer.sign({ aud: 'https://other.example' }),
    'the client as audience': await issuer.sign({ aud: 'app' }),
    'typ JWT': await issuer.sign({}, { typ: 'JWT' }),
    'no typ': await issuer.sign({}, { typ: undefined }),
    'an ID token': await issuer.sign({ nonce: 'n', at_hash: 'x' }, { typ: 'JWT' }),
    'the right key under an unknown issuer': await issuer.sign({ iss: other.issuer }),
    'a token of the other issuer naming this one': await other.sign({ iss: issuer.issuer }),
    'a key of the same name': await issuer.sign({}, {}, stranger),
    'alg of another key': await issuer.sign({}, {}, rsa),
    'alg none': `${encode({ alg: 'none', typ: 'at+jwt' })}.${body}.`,
    'alg none with a signature': `${encode({ alg: 'none', kid: 'first', typ: 'at+jwt' })}.${body}.${signature}`,
    'the public key as a secret': await new SignJWT(issuer.claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'first', typ: 'at+jwt' })
      .sign(spki),
    'RS256 named': `${encode({ alg: 'RS256', kid: 'first', typ: 'at+jwt' })}.${body}.${signature}`,
    'an unknown kid': await issuer.sign({}, { kid: 'unknown' }),
    'a changed payload': `${head}.${encode({ ...issuer.claims, scope: 'read write' })}.${signature}`,
    'a cut signature': good.slice(0, -4),
    'an issuer with a slash': await issuer.sign({ iss: `${issuer.issuer}/` }),
    'our own issuer, signed by the other key': await issuer.sign(ownClaims),
    'the claims of our own, from the trusted issuer': await issuer.sign({ ...ownClaims, iss: issuer.issuer }),
    'issuers in a list': await issuer.sign({ iss: [issuer.issuer] }),
    'unknown crit': `${encode({ alg: 'ES256', kid: 'first', typ: 'at+jwt', crit: ['x'], x: 1 })}.${body}.${signature}`
  }
  const answers = new Map<string, string[]>()
  for (const [name, token] of Object.entries(tokens)) {
    const response = await graphqlRequest(url, token, { query: '{ __typename }' })
    const headers = ['www-authenticate', 'cache-control', 'content-type'].map(header =>
      response.headers.get(header)
    )
    const answer = JSON.stringify([response.status, headers, await response.text()])
    answers.set(answer, [...(answers.get(answer) ?? []), name])
  }
  t.equal(answers.size, 1, JSON.stringify([...answers]))
  t.match([...answers.keys()][0], /^\[401,.*error=\\"invalid_token\\"/)
  t.equal((await ask(url, good)).status, 200)
})

t.test('E02 a token without kid is verified with each key that the issuer publishes', async t => {
  const { issuer, url } = await trusting(t)
  const keys = [...(await Promise.all(['a', 'b'].map(kid => makeKey(kid)))), await makeKey('rsa', 'RS256')]
  issuer.publish(...keys)
  const withoutKid = (key = keys[0], claims = {}) => issuer.sign(claims, { kid: undefined }, key)
  for (const key of keys) t.equal((await ask(url, await withoutKid(key))).status, 200, key.kid)
  const { status, challenge } = await ask(url, await withoutKid(await makeKey('a')))
  t.same([status, /error="invalid_token"/.test(challenge ?? '')], [401, true], 'of no published key')
  const expired = await withoutKid(keys[1], { exp: Math.floor(Date.now() / 1000) - 1000 })
  t.equal((await ask(url, expired)).status, 401)
})

t.test('E02 a token that was used before is refused if the clock is set back to before its nbf', async t => {
  const { issuer, url } = await trusting(t)
  const token = await issuer.sign({ nbf: Math.floor(Date.now() / 1000) })
  t.equal((await ask(url, token)).status, 200)
  t.teardown(() => mock.timers.reset())
  const setBack = (seconds: number) => {
    mock.timers.reset()
    mock.timers.enable({ apis: ['Date'], now: Date.now() - seconds * 1000 })
  }
  setBack(50)
  t.equal((await ask(url, token)).status, 200, 'clocks may differ by a minute')
  setBack(70)
  t.equal((await ask(url, token)).status, 401)
})

t.test('E02 of many keys without names, only some are tried', async t => {
  const { issuer, url } = await trusting(t)
  const keys = await Promise.all(Array.from({ length: 20 }, (_, index) => makeKey(`${index}`)))
  issuer.publish(...keys)
  const sign = (key = keys[0]) => issuer.sign({}, { kid: undefined }, key)
  t.equal((await ask(url, await sign(keys[0]))).status, 200)
  t.equal((await ask(url, await sign(keys[19]))).status, 401)
})

t.test('E03 the claims of a token decide its scopes', async t => {
  const map = { staff: 'read', 'content editor': 'read write' }
  const cases: [entry: object, claims: Record<string, unknown>, scopes: string[] | 403][] = [
    [{}, { scope: 'write read write email' }, ['read', 'write']],
    [{}, { scope: 'email' }, 403],
    [{}, { scope: undefined }, 403],
    [{}, { scope: { read: true } }, 403],
    [{ scopes: { claim: 'scp' } }, { scp: ['read'] }, ['read']],
    [{ scopes: { claim: 'scp' } }, { scp: 'read' }, ['read']],
    [{ scopes: { claim: 'roles', map } }, { roles: ['content editor', 'x'] }, ['read', 'write']],
    [{ scopes: { claim: 'roles', map } }, { roles: 'x staff' }, ['read']],
    [{ scopes: { claim: 'roles', map } }, { roles: ['former staff', 7, null] }, 403],
    [{ scopes: { claim: 'roles', map } }, { roles: ['read', 'toString', '__proto__'], scope: 'read' }, 403],
    [{ scopes: { claim: 'realm_access.roles', map } }, { realm_access: { roles: ['staff'] } }, ['read']],
    [{ scopes: { claim: 'https://x.example/roles' } }, { 'https://x.example/roles': ['read'] }, ['read']],
    [{ scope: 'read' }, { scope: 'write' }, ['read']],
    [{}, { scope: 'read admin' }, ['read']],
    [{ scopes: { claim: 'roles' } }, { roles: ['read', 'admin', 'read admin'] }, ['read']],
    [{ scopes: { claim: 'roles', map: { boss: 'read admin' } } }, { roles: ['boss'] }, ['read', 'admin']],
    [{ scope: 'read admin' }, {}, ['read', 'admin']],
    [{ scope: 'write read', subject: 'email' }, { email: 'dana@example.com' }, ['read', 'write']]
  ]
  for (const [entry, claims, expected] of cases) {
    const { issuer, url } = await trusting(t, entry)
    const token = await issuer.sign(claims)
    if (expected === 403) {
      const { status, challenge } = await ask(url, token)
      t.match([status, challenge], [403, /error="insufficient_scope"/], JSON.stringify([entry, claims]))
    } else {
      const { body } = await query(url, token, '{ viewer { scopes } }')
      t.same(body.data.viewer.scopes, expected, JSON.stringify([entry, claims]))
    }
  }
})

t.test('E04 typ JWT accepts access tokens that do not follow RFC 9068, but no ID tokens', async t => {
  const { issuer, url } = await trusting(t, { typ: 'JWT', scope: 'read', algorithms: ['RS256'] })
  issuer.publish(await makeKey('rsa', 'RS256'), await makeKey('ec'))
  const bare = { jti: undefined, iat: undefined, client_id: undefined, azp: 'spa' }
  for (const typ of ['JWT', 'at+jwt', 'application/at+jwt', undefined])
    t.equal((await ask(url, await issuer.sign(bare, { typ }))).status, 200, String(typ))
  for (const claims of [
    { nonce: 'n' },
    { at_hash: 'x' },
    { c_hash: 'x' },
    { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
    { token_use: 'id' },
    { typ: 'ID' }
  ])
    t.equal((await ask(url, await issuer.sign(claims, { typ: 'JWT' }))).status, 401, JSON.stringify(claims))
  t.equal((await ask(url, await issuer.sign({}, { typ: 'logout+jwt' }))).status, 401)
  const disallowed = await issuer.sign({}, { alg: 'ES256', kid: 'ec' }, await makeKey('ec'))
  t.equal((await ask(url, disallowed)).status, 401, 'an algorithm that is not allowed')
})

t.test('E05 a writer of another issuer is nobody of this service', async t => {
  const { issuer, url, db } = await trusting(t)
  const { rows } = await query(url, await accessToken(url), '{ viewer { name } }').then(async () => ({
    rows: await db.selectFrom('product_user').select('id').execute()
  }))
  const sub = rows[0]?.id as string
  const token = await issuer.sign({ sub, client_id: 'test-client', scope: 'read write' })
  const input =
    '{ id: 5, blockchainId: 1, maxItems: 1, name: "x", publicProduct: false, componentName: "DefaultProduct", data: "{}" }'
  const made = await query(
    url,
    token,
    `mutation { createProduct(input: ${input}) { product { id } userErrors { message } } }`
  )
  t.equal(made.body.data?.createProduct.product?.id, 5, JSON.stringify(made.body))
  const [revision] = await db.selectFrom('product_revision').select(['subject', 'client_id']).execute()
  t.same(revision, { subject: `${issuer.issuer}#${sub}`, client_id: `${issuer.issuer}#test-client` })
  const { body } = await query(url, token, '{ viewer { name clientName } }')
  t.same(body.data.viewer, {
    name: `${issuer.issuer}#test-client`,
    clientName: `${issuer.issuer}#test-client`
  })
  const named = await issuer.sign({ sub, name: 'Dana\u202EMoreau', scope: 'read write publish' })
  t.equal((await query(url, named, '{ viewer { name } }')).body.data.viewer.name, 'Dana Moreau')
  const unstorable = await issuer.sign({ name: 'Dana\0Moreau' })
  t.equal((await query(url, unstorable, '{ viewer { name } }')).body.data.viewer.name, `${issuer.issuer}#app`)
  const remove = 'mutation { deleteProduct(id: 5) { userErrors { message } } }'
  t.equal((await query(url, token, remove)).body.errors?.[0].extensions.code, 'FORBIDDEN')
  t.same((await query(url, named, remove)).body.data, { deleteProduct: { userErrors: [] } })
  await setUserDisabled(db, sub, true)
  t.equal((await ask(url, token)).status, 200, 'the user of the same id is somebody else')
})

t.test('the tokens of an issuer may be limited to some templates', async t => {
  const issuer = await startIssuer(t)
  const trusted = { issuer: issuer.issuer, audience: issuer.audience }
  const trust = (where: object) => service(t, { trustedIssuers: JSON.stringify([{ ...trusted, where }]) })
  const { url, db } = await trust({ componentName: { equals: 'TrackingRecord' } })
  await addTemplates(db, { id: 1 }, { id: 2, componentName: 'TrackingRecord' })
  const { body } = await query(url, await issuer.sign(), '{ allProducts { id } product(id: 1) { id } }')
  t.same(body.data, { allProducts: [{ id: 2 }], product: null })
  await t.rejects(trust({ colour: {} }), { message: /where\.colour is not a field of a filter/ })
})

t.test('E06 a token of another issuer is unknown at our introspection and revocation', async t => {
  const { issuer, url, db } = await trusting(t)
  await addClient(db, { id: 'resource', mayIntrospect: true })
  const token = await issuer.sign()
  const post = (path: string) =>
    fetch(`${url}/oauth/${path}`, {
      method: 'POST',
      headers: { authorization: basic('resource'), 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token })
    })
  t.same(await (await post('introspect')).json(), { active: false })
  t.equal((await post('revoke')).status, 200)
  t.equal((await ask(url, token)).status, 200)
})

t.test('E07 keys: by URL, by file, by RFC 8414; metadata of somebody else are refused', async t => {
  const issuer = await startIssuer(t, '/.well-known/oauth-authorization-server')
  const path = join(t.testdir(), 'keys.json')
  writeFileSync(path, JSON.stringify({ keys: [issuer.key().publicJwk] }))
  const trust = async (entry: object) => {
    const trustedIssuers = JSON.stringify([{ issuer: issuer.issuer, audience: issuer.audience, ...entry }])
    const { url } = await service(t, { trustedIssuers })
    return (await ask(url, await issuer.sign())).status
  }
  t.equal(await trust({}), 200, 'RFC 8414')
  t.equal(await trust({ jwks_uri: `${issuer.issuer}/keys` }), 200)
  t.equal(await trust({ jwks_uri: path }), 200)
  t.equal(await trust({ jwks_uri: `${issuer.issuer}/nothing` }), 503)
  t.equal(await trust({ jwks_uri: `${path}.missing` }), 503)
  issuer.describe({ issuer: 'https://other.example' })
  t.equal(await trust({}), 503)
  issuer.describe({ jwks_uri: 'http://keys.example/' })
  t.equal(await trust({}), 503)
})

t.test('a key that cannot be used refuses its tokens', async t => {
  const issuer = await startIssuer(t)
  const { publicJwk, ...key } = issuer.key()
  for (const change of [{ x: 'AAAA' }, { x: 7 }, { x: undefined }, { crv: 'P-384' }, { crv: 'none' }]) {
    issuer.publish({ ...key, publicJwk: { ...publicJwk, ...change } as typeof publicJwk })
    const { url } = await service(t, {
      trustedIssuers: JSON.stringify([{ issuer: issuer.issuer, audience: issuer.audience }])
    })
    t.equal((await ask(url, await issuer.sign())).status, 401, JSON.stringify(change))
  }
})

t.test('E08 an issuer that is down does not refuse tokens whose key is known', async t => {
  const { issuer, url } = await trusting(t)
  const before = await issuer.sign()
  t.equal((await ask(url, before)).status, 200)
  await issuer.stop()
  t.equal((await ask(url, before)).status, 200)
  t.equal((await ask(url, await issuer.sign({ jti: 'new' }))).status, 200)
  const response = await graphqlRequest(url, await issuer.sign({}, { kid: 'next' }), {
    query: '{ __typename }'
  })
  t.same([response.status, response.headers.get('retry-after')], [503, '1'], 'it may be a new key')
  t.equal(response.headers.get('www-authenticate'), null, 'RFC 6750 §3.1 has no code for it')
})

t.test('settings that are wrong keep the service from starting, and say why', async t => {
  const valid = { issuer: 'https://login.example', audience: 'x' }
  const path = join(t.testdir(), 'issuers.json')
  const wrong: [given: unknown, message: RegExp][] = [
    ['[', /it is not JSON/],
    [`${path}.missing`, /ENOENT/],
    [[{}], /entry 1: issuer must be an https URL without \? and #; audience must be/],
    [[{ ...valid, issuer: 'http://login.example' }], /issuer must be an https URL/],
    [[{ ...valid, issuer: 'https://login.example#a' }], /issuer must be an https URL without/],
    [[{ ...valid, issuer: 'https://login.example?a' }], /issuer must be an https URL without/],
    [[{ ...valid, jwks_uri: 'http://login.example/keys' }], /jwks_uri must be an https URL/],
    [[valid, valid], /two entries have the same issuer/],
    [
      [valid, { ...valid, issuer: 'https://b.example', audiences: 'x' }],
      /entry 2: audiences is not a property/
    ],
    [[{ ...valid, algorithms: ['HS256'] }], /algorithms must be an array of RS256/],
    [[{ ...valid, algorithms: ['none'] }], /algorithms must be/],
    [[{ ...valid, scope: 'read all' }], /scope must be some of read, write/],
    [[{ ...valid, scope: 'read', scopes: { claim: 'x' } }], /give scope or scopes, not both/],
    [[{ ...valid, scopes: { claim: 'roles', map: { staff: 'everything' } } }], /scopes.map: staff must be/],
    [[null], /entry 1/]
  ]
  for (const [given, message] of wrong) {
    const trustedIssuers = typeof given === 'string' ? given : JSON.stringify(given)
    await t.rejects(service(t, { trustedIssuers }), { code: 'PTS_BAD_ISSUERS', message }, String(message))
  }
  const own = { issuer: valid.issuer, trustedIssuers: JSON.stringify([valid]) }
  await t.rejects(service(t, own), { message: /issuer must not be ISSUER, the service itself/ })
  writeFileSync(path, JSON.stringify([valid]))
  await t.resolves(service(t, { trustedIssuers: path }))
})

t.test('the example of docs/company.md is valid', async t => {
  const text = readFileSync(new URL('../../../docs/company.md', import.meta.url), 'utf8')
  const [, trustedIssuers = ''] = /```json\n(.*?)```/s.exec(text) ?? []
  await t.resolves(service(t, { trustedIssuers }))
})
