// Runs on SQLite only, in test:all only.
/** What is told, and to whom. */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { t } from 'tap'
import { demo } from '../../../seeds/credentials.ts'
import { migratedUrl } from '../../support/database/database.ts'
import { basic, query, tokenRequest } from '../../support/http/http.ts'
import { serve } from '../../support/service/process.ts'
import { secret } from '../../support/service/secrets.ts'

const demoClient = { authorization: basic(demo.clientId, demo.clientSecret) }
const demoUser = { username: demo.email, password: demo.password }

t.test('L01 each decision is one log line with client and address, and no line has a secret', async t => {
  const env = { DATABASE_URL: await migratedUrl(t), LOG_LEVEL: 'trace' }
  const service = await serve(t, ['--demo'], env)
  const issued = (await (await tokenRequest(service.url, demoUser, demoClient)).json()) as Record<
    string,
    string
  >
  await query(service.url, issued.access_token as string, '{ __typename }')
  await tokenRequest(service.url, { ...demoUser, password: secret('wrong') }, demoClient)
  await tokenRequest(service.url, demoUser, { authorization: basic(demo.clientId, secret('wrong')) })
  const revoked = await fetch(`${service.url}/oauth/revoke`, {
    method: 'POST',
    headers: demoClient,
    body: new URLSearchParams({ token: issued.access_token as string })
  })
  t.equal(revoked.status, 200)
  const { port, hostname } = new URL(service.url)
  const garbage = connect(Number(port), hostname)
  garbage.write(`GET /graphql HTTP/1.1\r\nauthorization: Bearer ${issued.access_token}\r\nbad header\r\n\r\n`)
  t.match(await text(garbage), /^HTTP\/1\.1 400 Bad Request\r\n.*"code":"bad_request"/s)
  service.child.kill('SIGTERM')
  const { stdout } = await service.ended
  const lines = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const told = (msg: string) => lines.filter(line => line.msg === msg)

  const who = { clientId: demo.clientId, remoteAddress: '127.0.0.1' }
  t.match(told('token issued'), [
    { ...who, grant: 'password', sub: issued.id, jti: issued.jti, scopes: ['read', 'write'] }
  ])
  t.match(told('request refused'), [
    { ...who, code: 'invalid_grant', reason: /^wrong password of user / },
    { code: 'invalid_client', reason: /^wrong secret of client demo-client$/, remoteAddress: '127.0.0.1' }
  ])
  t.match(told('access token revoked'), [{ ...who, sub: issued.id, jti: issued.jti }])
  t.equal(told('request completed').length, 5)
  for (const hidden of [
    demo.clientSecret,
    demo.password,
    demo.email,
    issued.access_token as string,
    's3cr3t',
    demoClient.authorization
  ]) {
    t.notOk(stdout.includes(hidden), 'not in the log')
  }
})

t.test('L02 responses name no software and forbid content sniffing', async t => {
  const service = await serve(t, ['--demo'], {
    DATABASE_URL: await migratedUrl(t),
    TRUST_PROXY: 'loopback'
  })
  for (const path of ['/oauth/token', '/graphql', '/livez', '/.well-known/jwks.json', '/nowhere', '/%zz']) {
    const response = await fetch(`${service.url}${path}`, { headers: { 'x-forwarded-proto': 'https' } })
    t.equal(response.headers.get('x-content-type-options'), 'nosniff', path)
    if (path !== '/%zz') t.equal(response.headers.get('strict-transport-security'), 'max-age=31536000')
    t.equal(response.headers.get('x-powered-by'), null)
    t.notMatch(await response.text(), /\.ts:|\.js:|node_modules/)
  }
  t.equal(
    (await fetch(`${service.url}/livez`)).headers.get('strict-transport-security'),
    null,
    'not without TLS'
  )
})
