// Runs on SQLite only.
/** RFC 8414 and RFC 7517: what others can find out, and verify by themselves. */
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { t } from 'tap'
import { accessToken, rawRequest } from '../../support/http/http.ts'
import { service } from '../../support/service/service.ts'

t.test('M01 the metadata match the service', async t => {
  const { url } = await service(t, { prefix: '/shop' })
  const response = await fetch(`${url}/.well-known/oauth-authorization-server`)
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^application\/json/)
  const metadata = await response.json()
  t.same(
    await (await fetch(`${url}/.well-known/openid-configuration`)).json(),
    metadata,
    'for OpenID Connect too'
  )
  t.same(metadata, {
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    revocation_endpoint: `${url}/oauth/revoke`,
    introspection_endpoint: `${url}/oauth/introspect`,
    userinfo_endpoint: `${url}/oauth/userinfo`,
    jwks_uri: `${url}/.well-known/jwks.json`,
    scopes_supported: ['read', 'write', 'profile', 'openid', 'email', 'admin'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    claims_supported: 'iss sub aud exp iat auth_time nonce at_hash name given_name family_name email'.split(
      ' '
    ),
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    request_uri_parameter_supported: false,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    grant_types_supported: ['password', 'client_credentials', 'refresh_token', 'authorization_code'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic']
  })
})

t.test('M02 a forged host changes nothing', async t => {
  const { url } = await service(t)
  const forged = ['Host: evil.example.com', 'X-Forwarded-Host: evil.example.com', 'X-Forwarded-Proto: https']
  const lines = [
    'GET /.well-known/oauth-authorization-server HTTP/1.1',
    ...forged,
    'Connection: close',
    '',
    ''
  ]
  const answer = await rawRequest(url, lines.join('\r\n'))
  t.match(answer, `"issuer":"${url}"`)
  t.notMatch(answer, /evil/)
})

t.test('M03 M04 the public keys are published, including the current one', async t => {
  const { url } = await service(t)
  const response = await fetch(`${url}/.well-known/jwks.json`)
  t.equal(response.headers.get('content-type'), 'application/jwk-set+json')
  t.equal(response.headers.get('cache-control'), 'public, max-age=300')
  const { keys } = (await response.json()) as { keys: Record<string, string>[] }
  for (const key of keys) t.same(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  const { kid } = decodeProtectedHeader(await accessToken(url))
  t.ok(keys.some(key => key.kid === kid && key.use === 'sig' && key.alg === 'ES256'))
})

t.test('M05 another library verifies the tokens with nothing but the address', async t => {
  const { url } = await service(t)
  const metadata = (await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()) as Record<
    string,
    string
  >
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri as string))
  const expected = { issuer: url, audience: `${url}/graphql`, typ: 'at+jwt', algorithms: ['ES256'] }
  const { payload } = await jwtVerify(await accessToken(url), keys, expected)
  t.equal(payload.client_id, 'test-client')
})
