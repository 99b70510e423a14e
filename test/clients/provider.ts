import { exportJWK } from 'jose'
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider'
import type { Test } from 'tap'
import { listen } from '../support/http/listening.ts'
import type { KeyOfIssuer } from '../support/identity/issuer.ts'

/** Starts a real OpenID provider, node-oidc-provider. `serve` replaces its configuration. */
export async function startProvider(t: Test) {
  const { server, url: issuer, stop } = await listen(t)
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
