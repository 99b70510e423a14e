/** The token endpoint of the contract: request, response, and the JWT inside. */
import { createPublicKey } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, importSPKI, jwtVerify } from 'jose'
import { t } from 'tap'
import { accessToken, query, tokenRequest } from '../support/http/http.ts'
import { addUser, service, signingKey, user } from '../support/service/service.ts'

const types = {
  access_token: 'string',
  token_type: 'string',
  expires_in: 'number',
  scope: 'string',
  id: 'string',
  first_name: 'string',
  last_name: 'string',
  country: 'string',
  mobile: 'string',
  wallets: 'object',
  jti: 'string'
}

t.test('the response has exactly the eleven fields, each of its type', async t => {
  const { url } = await service(t)
  const response = await tokenRequest(url)
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^application\/json/)
  t.equal(response.headers.get('cache-control'), 'no-store')
  t.equal(response.headers.get('pragma'), 'no-cache')
  const body = (await response.json()) as Record<string, unknown>
  t.same(Object.fromEntries(Object.entries(body).map(([name, value]) => [name, typeof value])), types)
  t.match(body, {
    token_type: 'bearer',
    expires_in: 86400,
    scope: 'read write',
    first_name: 'Ada',
    last_name: 'Byron',
    country: 'England',
    mobile: '+44 20 0000 0000',
    wallets: ['0x52908400098527886E0F7030069857D2E4169EE7']
  })
})

t.test('a user without a profile has empty strings and no wallets', async t => {
  const { url, db } = await service(t)
  const empty = { firstName: '', lastName: '', country: '', mobile: '', wallets: [] }
  await addUser(db, { email: 'plain@example.com', ...empty })
  const response = await tokenRequest(url, { username: 'plain@example.com' })
  t.match(await response.json(), { first_name: '', last_name: '', country: '', mobile: '', wallets: [] })
})

t.test('wallets keep their order', async t => {
  const { url, db } = await service(t)
  await addUser(db, { email: 'rich@example.com', wallets: ['0xb', '0xa', '0xc'] })
  const response = await tokenRequest(url, { username: 'rich@example.com' })
  t.same(((await response.json()) as { wallets: string[] }).wallets, ['0xb', '0xa', '0xc'])
})

t.test('the access token is an ES256 JWT of RFC 9068, signed with the key of the database', async t => {
  const { url, db } = await service(t)
  const body = (await (await tokenRequest(url)).json()) as Record<string, string>
  const key = await signingKey(db)
  const publicKey = createPublicKey({ key: key.privateJwk as never, format: 'jwk' })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
  const { payload, protectedHeader } = await jwtVerify(
    body.access_token as string,
    await importSPKI(pem, 'ES256'),
    {
      issuer: url,
      audience: `${url}/graphql`,
      typ: 'at+jwt'
    }
  )
  t.same(protectedHeader, { alg: 'ES256', typ: 'at+jwt', kid: key.id })
  t.same(Object.keys(payload).sort(), [
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
  t.equal(payload.sub, body.id)
  t.equal(payload.jti, body.jti)
  t.equal(payload.client_id, 'test-client')
  t.equal(payload.scope, 'read write')
  t.equal((payload.exp as number) - (payload.iat as number), 86400)
  t.ok((payload.iat as number) * 1000 <= Date.now())
})

t.test('the kid is the RFC 7638 thumbprint of the public key', async t => {
  const { calculateJwkThumbprint } = await import('jose')
  const { url, db } = await service(t)
  const { kid } = decodeProtectedHeader(await accessToken(url))
  const key = await signingKey(db)
  t.equal(kid, await calculateJwkThumbprint(key.privateJwk as never))
})

t.test('expires_in and the token follow the setting', async t => {
  const { url } = await service(t, { accessTokenTtl: 60 })
  const body = (await (await tokenRequest(url)).json()) as { expires_in: number; access_token: string }
  const { iat = 0, exp = 0 } = decodeJwt(body.access_token)
  t.same([body.expires_in, exp - iat], [60, 60])
})

t.test('two logins have two token identifiers', async t => {
  const { url } = await service(t)
  const [one, two] = await Promise.all([accessToken(url), accessToken(url)])
  t.not(decodeJwt(one).jti, decodeJwt(two).jti)
})

t.test('the e-mail comes as username or as email, or as both when they agree', async t => {
  const { url } = await service(t)
  t.equal((await tokenRequest(url, { username: undefined, email: user.email })).status, 200)
  t.equal((await tokenRequest(url, { email: user.email })).status, 200)
  const differing = await tokenRequest(url, { email: 'eve@example.com' })
  t.equal(differing.status, 400)
  t.match(await differing.json(), { error: 'invalid_request' })
})

t.test('the token opens the GraphQL endpoint', async t => {
  const { url } = await service(t)
  t.equal((await query(url, await accessToken(url), '{ allProducts { id } }')).status, 200)
})

t.test('the issuer is the setting if given', async t => {
  const issuer = 'https://templates.example.com/v1'
  const { url } = await service(t, { issuer })
  const token = await accessToken(url)
  t.match(decodeJwt(token), { iss: issuer, aud: `${issuer}/graphql` })
  t.equal((await query(url, token, '{ allProducts { id } }')).status, 200)
})
