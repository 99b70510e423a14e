import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK } from 'jose'
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider'
import type { Test } from 'tap'
import type { KeyOfIssuer } from './issuer.ts'

/** Listens for a real OpenID provider, node-oidc-provider. What it serves can be replaced. */
export async function startProvider(t: Test) {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = async () => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  t.teardown(stop)
  return {
    issuer,
    stop,
    async serve(client: ClientMetadata, keys: KeyOfIssuer[], more: Configuration = {}) {
      const privateKeys = keys.map(async ({ privateKey, kid, alg }) => ({
        ...(await exportJWK(privateKey)),
        kid,
        alg,
        use: 'sig'
      }))
      const jwks = { keys: await Promise.all(privateKeys) }
      const clients = [{ ...client, id_token_signed_response_alg: keys[0]?.alg as 'ES256' }]
      const provider = new Provider(issuer, { ...more, jwks, clients } as Configuration)
      server.removeAllListeners('request').on('request', provider.callback())
    }
  }
}
