import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Test } from 'tap'
import { listen } from '../http/listening.ts'

export type KeyOfIssuer = Awaited<ReturnType<typeof makeKey>>

/** Creates a key pair for signatures. */
export async function makeKey(kid: string, alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** Starts the token issuer of another product, with metadata, keys and tokens as the test needs them. */
export async function startIssuer(t: Test, metadataPath = '/.well-known/openid-configuration') {
  let keys = [await makeKey('first')]
  let metadata = {}
  const asked: string[] = []
  const running = await listen(t, (request, response) => {
    asked.push(request.url ?? '')
    const answers: Record<string, object> = {
      [metadataPath]: { issuer, jwks_uri: `${issuer}/keys`, ...metadata },
      '/keys': { keys: keys.map(({ publicJwk }) => publicJwk) }
    }
    const answer = answers[request.url ?? '']
    response.writeHead(answer ? 200 : 404, { connection: 'close' }).end(JSON.stringify(answer))
  })
  const { url: issuer, stop, start } = running
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
    start,
    publish(...published: KeyOfIssuer[]) {
      keys = published
    },
    describe(other: object) {
      metadata = other
    },
    key: () => keys[0] as KeyOfIssuer,
    /** Signs a token. Undefined omits a claim or a header parameter. */
    sign(changes: Record<string, unknown> = {}, header: object = {}, key = keys[0] as KeyOfIssuer) {
      const whole = JSON.parse(JSON.stringify({ ...claims, ...changes }))
      const protectedHeader = { alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header }
      return new SignJWT(whole)
        .setProtectedHeader(JSON.parse(JSON.stringify(protectedHeader)))
        .sign(key.privateKey)
    }
  }
}
