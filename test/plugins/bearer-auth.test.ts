import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { decodeJwt, importJWK, SignJWT } from 'jose'
import { t } from 'tap'
import { accessToken, graphqlRequest, visible } from '../http.ts'
import { type Service, service, signingKey } from '../service.ts'

const encode = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

/** A forger who knows everything, the signing key too if need be. */
async function forger(t: Parameters<typeof service>[0], running?: Service) {
  const { url, db } = running ?? (await service(t))
  const key = await signingKey(db)
  const good = await accessToken(url)
  const claims = decodeJwt(good)
  const header = { alg: 'ES256', typ: 'at+jwt', kid: key.id }
  const sign = async (payload: object, changes: object = {}) =>
    new SignJWT(payload as never)
      .setProtectedHeader({ ...header, ...changes } as never)
      .sign((await importJWK(key.privateJwk as never, 'ES256')) as never)
  return { url, key, good, claims, header, sign }
}

t.test('the forger can sign: a token of its making is accepted', async t => {
  const { url, claims, sign } = await forger(t)
  t.equal((await graphqlRequest(url, await sign(claims), { query: '{ __typename }' })).status, 200)
})

t.test('every bad token is 401 with one identical answer', async t => {
  const { url, key, good, claims, header, sign } = await forger(t)
  const [head = '', body = '', signature = ''] = good.split('.')
  const now = Math.floor(Date.now() / 1000)
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const spki = createPublicKey({ key: key.privateJwk as never, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem'
  }) as string
  const without = (name: string) =>
    Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name))
  const tokens: Record<string, string> = {
    expired: await sign({ ...claims, exp: now - 1 }),
    'expires now': await sign({ ...claims, exp: now }),
    'not yet valid': await sign({ ...claims, nbf: now + 3600 }),
    'alg none': `${encode({ ...header, alg: 'none' })}.${body}.`,
    'alg None': `${encode({ ...header, alg: 'None' })}.${body}.`,
    'alg none with a signature': `${encode({ ...header, alg: 'none' })}.${body}.${signature}`,
    'signed with the public key as a secret': await new SignJWT(claims)
      .setProtectedHeader({ ...header, alg: 'HS256' })
      .sign(Buffer.from(spki)),
    'another algorithm named': `${encode({ ...header, alg: 'RS256' })}.${body}.${signature}`,
    'another key': await new SignJWT(claims).setProtectedHeader(header).sign(other),
    'changed payload': `${head}.${encode({ ...claims, scope: 'read write admin' })}.${signature}`,
    'cut signature': good.slice(0, -4),
    'padded signature': `${good}=`,
    'no signature': `${head}.${body}.`,
    'two parts': `${head}.${body}`,
    'four parts': `${good}.x`,
    'empty objects': 'e30.e30.e30',
    word: 'token',
    'unknown crit': await new SignJWT(claims)
      .setProtectedHeader({ ...header, crit: ['x'], x: 1 } as never)
      .sign((await importJWK(key.privateJwk as never, 'ES256')) as never, { crit: { x: true } })
      .catch(() => 'e30.e30.e31'),
    'typ JWT': await sign(claims, { typ: 'JWT' }),
    'another issuer': await sign({ ...claims, iss: 'https://evil.example.com' }),
    'issuers in a list': await sign({ ...claims, iss: [claims.iss] }),
    'another audience': await sign({ ...claims, aud: 'https://evil.example.com/graphql' }),
    'exp as text': await sign({ ...claims, exp: String(claims.exp) }),
    'a payload that is a list': `${head}.${encode('[1]')}.${signature}`,
    '15 KB': `${head}.${'a'.repeat(15_000)}.${signature}`,
    ...Object.fromEntries(
      await Promise.all(
        ['iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'client_id', 'scope'].map(async name => [
          `without ${name}`,
          await sign(without(name))
        ])
      )
    )
  }
  const answers = new Set<string>()
  for (const [name, token] of Object.entries(tokens)) {
    const answer = await visible(await graphqlRequest(url, token, { query: '{ __typename }' }))
    t.equal(answer.status, 401, name)
    t.match(answer.headers['www-authenticate'], /error="invalid_token"/, name)
    answers.add(JSON.stringify(answer))
  }
  t.equal(answers.size, 1)
})

t.test('a token of another service with the same issuer is refused', async t => {
  const issuer = 'https://templates.example.com'
  const one = await service(t, { issuer })
  const two = await service(t, { issuer })
  const token = await accessToken(one.url)
  t.equal((await graphqlRequest(one.url, token, { query: '{ __typename }' })).status, 200)
  t.equal((await graphqlRequest(two.url, token, { query: '{ __typename }' })).status, 401)
})
