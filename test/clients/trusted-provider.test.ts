// Runs on SQLite only, in test:all only.
// Runs on SQLite only, in test:all only.
/** Access tokens of a real OpenID provider: node-oidc-provider. */
import type { Configuration } from 'oidc-provider'
import { t } from 'tap'
import { basic, query } from '../support/http/http.ts'
import { makeKey } from '../support/identity/issuer.ts'
import { asciiSecret } from '../support/service/secrets.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { startProvider } from './provider.ts'

const audience = 'https://templates.example/graphql'

const client = {
  client_id: 'app',
  client_secret: asciiSecret('provider'),
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  scope: 'read write'
}

const configuration: Configuration = {
  scopes: ['read', 'write'],
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
}

async function tokenOf(issuer: string, scope: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: {
      authorization: basic(client.client_id, client.client_secret),
      'content-type': 'application/x-www-form-urlencoded'
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope, resource: audience })
  })
  const body = (await response.json()) as { access_token: string }
  return body.access_token
}

t.test('tokens of a provider, whose keys change, and which stops', async t => {
  const [first, second] = await Promise.all([makeKey('first'), makeKey('second')])
  const provider = await startProvider(t)
  await provider.serve(client, [first], configuration)
  const trustedIssuers = JSON.stringify([{ issuer: provider.issuer, audience }])
  const { url, db } = await service(t, { trustedIssuers })
  await addTemplates(db, { id: 1 })
  const ask = async (token: string) => {
    const { status, body } = await query(url, token, '{ allProducts { id } viewer { scopes } }')
    return [status, body.data?.viewer.scopes.join(' ')]
  }
  const reader = await tokenOf(provider.issuer, 'read')
  t.same(await ask(reader), [200, 'read'])
  t.same(await ask(await tokenOf(provider.issuer, 'read write')), [200, 'read write'])

  await provider.serve(client, [second, first], configuration)
  t.same(await ask(await tokenOf(provider.issuer, 'read')), [200, 'read'], 'signed by the new key')
  t.same(await ask(reader), [200, 'read'], 'signed by the old one')

  const late = await tokenOf(provider.issuer, 'read')
  await provider.stop()
  t.same(await ask(late), [200, 'read'], 'never seen before, its issuer is down')
  t.same(await ask(reader), [200, 'read'])
})
