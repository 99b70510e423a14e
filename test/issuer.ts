import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Test } from 'tap'

export type KeyOfIssuer = Awaited<ReturnType<typeof makeKey>>

/** Makes a key pair for signatures. */
export async function makeKey(kid: string, alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** Starts an issuer of another product: metadata and keys by HTTP, and tokens as a test wants them. */
export async function startIssuer(t: Test, metadataPath = '/.well-known/openid-configuration') {
  let keys = [await makeKey('first')]
  let metadata = {}
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const answers: Record<string, object> = {
      [metadataPath]: { issuer, jwks_uri: `${issuer}/keys`, ...metadata },
      '/keys': { keys: keys.map(({ publicJwk }) => publicJwk) }
    }
    const answer = answers[request.url ?? '']
    response.writeHead(answer ? 200 : 404, { connection: 'close' }).end(JSON.stringify(answer))
  })
  const listen = async (port: number) => {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const issuer = `http://127.0.0.1:${port}`
  const stop = async () => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  t.teardown(stop)
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer,
    sub: 'dana',
    aud: 'https://templates.example/graphql',
    client_id: 'app',
    iat: now,
    exp: now + 600,
    jti: 'a token',
    scope: 'read openid'
  }
  return {
    issuer,
    audience: claims.aud,
    claims,
    /** The paths of the requests. */
    asked,
    stop,
    start: () => listen(port),
    publish(...published: KeyOfIssuer[]) {
      keys = published
    },
    describe(other: object) {
      metadata = other
    },
    key: () => keys[0] as KeyOfIssuer,
    /** Signs a token. Claims and members of the header that are undefined are left out. */
    sign(changes: Record<string, unknown> = {}, header: object = {}, key = keys[0] as KeyOfIssuer) {
      const whole = JSON.parse(JSON.stringify({ ...claims, ...changes }))
      const protectedHeader = { alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header }
      return new SignJWT(whole)
        .setProtectedHeader(JSON.parse(JSON.stringify(protectedHeader)))
        .sign(key.privateKey)
    }
  }
}
