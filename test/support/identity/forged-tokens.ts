/** Access tokens that every endpoint must reject. */
import { createPrivateKey, createPublicKey, sign as createSignature, generateKeyPairSync } from 'node:crypto'
import { decodeJwt, importJWK, SignJWT } from 'jose'
import { accessToken } from '../http/http.ts'
import { type Service, signingKey } from '../service/service.ts'

const encode = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

/** Changes the unused bits in the last character of a signature, so that both texts decode to the same bytes. */
function respell(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(token.at(-1) as string)
  return `${token.slice(0, -1)}${alphabet[last ^ 1]}`
}

/** Returns the tools of a forger who knows even the signing key. */
export async function forger({ url, db }: Service, parameters: Record<string, string> = {}) {
  const key = await signingKey(db)
  const good = await accessToken(url, parameters)
  const claims = decodeJwt(good)
  const header = { alg: 'ES256', typ: 'at+jwt', kid: key.id }
  const sign = async (payload: object, changes: object = {}) =>
    new SignJWT(payload as never)
      .setProtectedHeader({ ...header, ...changes } as never)
      .sign((await importJWK(key.privateJwk as never, 'ES256')) as never)
  const privateKey = createPrivateKey({ key: key.privateJwk as never, format: 'jwk' })
  const signRaw = async (payload: string, changes: object = {}) => {
    const input = `${encode({ ...header, ...changes })}.${encode(payload)}`
    return `${input}.${createSignature('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }
  return { url, key, good, claims, header, sign, signRaw }
}

/** Forges tokens by the rows of the checklist, starting from a valid token with these `parameters`. */
export async function forgeTokens(running: Service, parameters: Record<string, string> = {}) {
  const { url, key, good, claims, header, sign, signRaw } = await forger(running, parameters)
  const [head = '', body = '', signature = ''] = good.split('.')
  const now = Math.floor(Date.now() / 1000)
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const spki = createPublicKey({ key: key.privateJwk as never, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem'
  }) as string
  const other2 = await accessToken(url, parameters)
  const without = (name: string) =>
    Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name))
  const tokens: Record<string, string> = {
    'J01 expired': await sign({ ...claims, exp: now - 1 }),
    'J01 expires now': await sign({ ...claims, exp: now }),
    'J02 not yet valid': await sign({ ...claims, nbf: now + 3600 }),
    'J07 alg none': `${encode({ ...header, alg: 'none' })}.${body}.`,
    'J07 alg None': `${encode({ ...header, alg: 'None' })}.${body}.`,
    'J07 alg none with a signature': `${encode({ ...header, alg: 'none' })}.${body}.${signature}`,
    'J08 signed with the public key as a secret': await new SignJWT(claims)
      .setProtectedHeader({ ...header, alg: 'HS256' })
      .sign(Buffer.from(spki)),
    'J09 RS256 named': `${encode({ ...header, alg: 'RS256' })}.${body}.${signature}`,
    'J10 another key': await new SignJWT(claims).setProtectedHeader(header).sign(other),
    'J10 changed payload': `${head}.${encode({ ...claims, scope: 'read write admin' })}.${signature}`,
    'J10 cut signature': good.slice(0, -4),
    'J17 padded signature': `${good}=`,
    'J16 no signature': `${head}.${body}.`,
    'J16 two parts': `${head}.${body}`,
    'J16 four parts': `${good}.x`,
    'J16 empty objects': 'e30.e30.e30',
    'J16 a word': 'token',
    'J12 unknown crit': await new SignJWT(claims)
      .setProtectedHeader({ ...header, crit: ['x'], x: 1 } as never)
      .sign((await importJWK(key.privateJwk as never, 'ES256')) as never, { crit: { x: true } })
      .catch(() => 'e30.e30.e31'),
    'J15 typ JWT': await sign(claims, { typ: 'JWT' }),
    'J05 another issuer': await sign({ ...claims, iss: 'https://evil.example.com' }),
    'J05 issuers in a list': await sign({ ...claims, iss: [claims.iss] }),
    'J06 another audience': await sign({ ...claims, aud: 'https://evil.example.com/graphql' }),
    'J03 issued in the far future': await sign({ ...claims, iat: now + 3600 }),
    'J09 HS512 named': `${encode({ ...header, alg: 'HS512' })}.${body}.${signature}`,
    'J09 ES384 named': `${encode({ ...header, alg: 'ES384' })}.${body}.${signature}`,
    'J10 swapped signature': `${head}.${body}.${other2.split('.')[2]}`,
    'J11 exp null': await sign({ ...claims, exp: null }),
    'J11 exp negative': await sign({ ...claims, exp: -1 }),
    'J11 exp 1e400': await signRaw(JSON.stringify({ ...claims, exp: 0 }).replace('"exp":0', '"exp":1e400')),
    'J12 empty crit': await signRaw(JSON.stringify(claims), { crit: [] }),
    'J12 b64 false': await signRaw(JSON.stringify(claims), { crit: ['b64'], b64: false }),
    'J14 kid is a path': await sign(claims, { kid: '../../../etc/passwd' }),
    'J14 kid is SQL': await sign(claims, { kid: "' or 1=1 --" }),
    'J14 kid of 10 KB': await sign(claims, { kid: 'k'.repeat(10_000) }),
    'J14 kid unknown': await sign(claims, { kid: 'unknown' }),
    'J14 kid an object': await signRaw(JSON.stringify(claims), { kid: { $ne: null } }),
    'J14 no kid': await signRaw(JSON.stringify(claims), { kid: undefined }),
    'J16 five parts': `${head}.${body}.${signature}.x.y`,
    'J16 no parts': '..',
    'J17 another spelling of the same signature': respell(good),
    'J18 payload null': await signRaw('null'),
    'J18 payload a number': await signRaw('1'),
    'J18 payload a list': await signRaw('[1]'),
    'J11 exp as text': await sign({ ...claims, exp: String(claims.exp) }),
    'J18 a payload that is a list': `${head}.${encode('[1]')}.${signature}`,
    'J22 15 KB': `${head}.${'a'.repeat(15_000)}.${signature}`,
    ...Object.fromEntries(
      await Promise.all(
        ['iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'client_id', 'scope'].map(async name => [
          `J04 without ${name}`,
          await sign(without(name))
        ])
      )
    )
  }
  return tokens
}
