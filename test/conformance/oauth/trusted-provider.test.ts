/** Access tokens of a real OpenID provider: node-oidc-provider. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK } from 'jose'
import Provider from 'oidc-provider'
import { type Test, t } from 'tap'
import { query } from '../../http.ts'
import { type KeyOfIssuer, makeKey } from '../../issuer.ts'
import { addTemplates, service } from '../../service.ts'

const audience = 'https://templates.example/graphql'

/** Starts a provider with a client, whose keys can be changed. */
async function startProvider(t: Test, ...keys: KeyOfIssuer[]) {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const use = async (...used: KeyOfIssuer[]) => {
    const privateKeys = used.map(async ({ privateKey, kid, alg }) => ({
      ...(await exportJWK(privateKey)),
      kid,
      alg,
      use: 'sig'
    }))
    const provider = new Provider(issuer, {
      jwks: { keys: await Promise.all(privateKeys) },
      scopes: ['read', 'write'],
      clients: [
        {
          client_id: 'app',
          client_secret: 'a secret of the test',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          scope: 'read write',
          id_token_signed_response_alg: 'ES256'
        }
      ],
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({
            scope: 'read write',
            audience,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256' } }
          })
        }
      }
    })
    server.removeAllListeners('request').on('request', provider.callback())
  }
  await use(...keys)
  const stop = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  t.teardown(() => server.listening && stop())
  const token = async (scope: string) => {
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from('app:a+secret+of+the+test').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded'
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope, resource: audience })
    })
    const body = (await response.json()) as { access_token: string }
    return body.access_token
  }
  return { issuer, token, use, stop }
}

t.test('tokens of a provider, whose keys change, and which stops', async t => {
  const [first, second] = await Promise.all([makeKey('first'), makeKey('second')])
  const provider = await startProvider(t, first)
  const trustedIssuers = JSON.stringify([{ issuer: provider.issuer, audience }])
  const { url, db } = await service(t, { trustedIssuers })
  await addTemplates(db, { id: 1 })
  const ask = async (token: string) => {
    const { status, body } = await query(url, token, '{ allProducts { id } viewer { scopes } }')
    return [status, body.data?.viewer.scopes.join(' ')]
  }
  const reader = await provider.token('read')
  t.same(await ask(reader), [200, 'read'])
  t.same(await ask(await provider.token('read write')), [200, 'read write'])

  await provider.use(second, first)
  t.same(await ask(await provider.token('read')), [200, 'read'], 'signed by the new key')
  t.same(await ask(reader), [200, 'read'], 'signed by the old one')

  const late = await provider.token('read')
  await provider.stop()
  t.same(await ask(late), [200, 'read'], 'never seen before, its issuer is down')
  t.same(await ask(reader), [200, 'read'])
})
