// Runs in test:all only.
/** Signing keys over time: RFC 9068 §4, RFC 7517. */
import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { CompactEncrypt, createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import { generateStoredKey, openKeyRing } from '../../../accounts/credentials/key-ring.ts'
import { maintainKeys, rotateKeys } from '../../../accounts/credentials/key-rotation.ts'
import { decrypt, sealKey } from '../../../accounts/credentials/signing-key.ts'
import { listSealedTables, reencryptKeys } from '../../../cli/accounts/reencrypt.ts'
import {
  deleteSigningKey,
  insertSigningKey,
  listSigningKeys,
  replacePrivateJwk
} from '../../../db/accounts/signing-keys.ts'
import { listEvents } from '../../../db/audit/read.ts'
import { noActor } from '../../../db/audit/record.ts'
import { engineOf } from '../../../db/dialects/engine.ts'
import { tables } from '../../../features/load.ts'
import { directory } from '../../support/database/database.ts'
import { onlyOn } from '../../support/database/only-on.ts'
import { runBetween } from '../../support/database/run-between.ts'
import { accessToken, basic, query } from '../../support/http/http.ts'
import { loggedService } from '../../support/service/log.ts'
import { service } from '../../support/service/service.ts'

const settings = { signingAlgorithm: 'ES256' as const, accessTokenTtl: 86_400 }
const opens = async (url: string, token: string) => (await query(url, token, '{ __typename }')).status === 200
const kids = async (url: string) => {
  const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid)
}
const kidOf = (token: string) => decodeProtectedHeader(token).kid as string

/** The clock of this process, moved. */
function later(t: Test, seconds: number) {
  const realNow = Date.now
  t.teardown(() => {
    Date.now = realNow
  })
  Date.now = () => realNow() + seconds * 1000
}

t.test(
  'M04 the next key is published before it signs; the last one verifies until its tokens expired',
  async t => {
    const { url, db } = await service(t)
    const old = await accessToken(url)
    const published = await rotateKeys(db, settings, { actor: noActor })
    t.equal(published.step, 'published')
    t.same((await kids(url)).sort(), [kidOf(old), published.kid].sort())
    t.equal(kidOf(await accessToken(url)), kidOf(old), 'it does not sign yet')
    t.equal((await rotateKeys(db, settings, { actor: noActor })).step, 'waiting')

    const activated = await rotateKeys(db, settings, { now: true, actor: noActor })
    t.same([activated.step, activated.kid], ['activated', published.kid])
    const fresh = await accessToken(url)
    t.equal(kidOf(fresh), published.kid)
    t.ok(await opens(url, old))
    t.ok(await opens(url, fresh))
  }
)

t.test('M05 another library verifies before and after a rotation', async t => {
  const { url, db } = await service(t)
  const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`), { cooldownDuration: 0 })
  const expected = { issuer: url, audience: `${url}/graphql`, typ: 'at+jwt' }
  const old = await accessToken(url)
  await jwtVerify(old, keys, expected)
  await rotateKeys(db, settings, { actor: noActor })
  await rotateKeys(db, settings, { now: true, actor: noActor })
  await jwtVerify(await accessToken(url), keys, expected)
  await jwtVerify(old, keys, expected)
  t.equal((await kids(url)).length, 2)
})

t.test('J21 a token of a retired key is valid, one of a removed key is not', async t => {
  const { url, db } = await service(t)
  const old = await accessToken(url)
  await rotateKeys(db, settings, { now: true, actor: noActor })
  t.ok(await opens(url, old))
  await deleteSigningKey(db, kidOf(old))
  t.notOk(await opens(url, old))
  t.notOk((await kids(url)).includes(kidOf(old)))
  const headers = { authorization: basic() }
  const body = new URLSearchParams({ token: old })
  t.ok((await fetch(`${url}/oauth/revoke`, { method: 'POST', headers, body })).ok)
  t.same(await db.selectFrom('product_revoked_token').selectAll().execute(), [], 'anybody may have made it')
})

t.test('a key is rotated by age, and deleted once its tokens have expired', async t => {
  const { url, db } = await service(t)
  const first = kidOf(await accessToken(url))
  const limits = { ...settings, signingKeyMaxAge: 3600, accessTokenTtl: 86400 }
  t.equal(await maintainKeys(db, limits), undefined, 'young')
  t.equal(await maintainKeys(db, { ...limits, signingKeyMaxAge: 0 }), undefined, 'off')
  later(t, 4000)
  t.match(await maintainKeys(db, limits), { step: 'published' })
  t.equal(await maintainKeys(db, limits), undefined, 'waiting')
  later(t, 400)
  t.match(await maintainKeys(db, limits), { step: 'activated' })
  t.same(
    (await listSigningKeys(db)).map(({ status }) => status),
    ['retired', 'current']
  )
  later(t, 86_500)
  await maintainKeys(db, { ...limits, signingKeyMaxAge: 0 })
  t.notOk((await listSigningKeys(db)).some(({ id }) => id === first))
  const [latest] = await listEvents(db, {}, 1)
  t.match(latest, { action: 'key.delete', targetId: first, subject: null, clientId: null })
})

t.test('a key is kept until its tokens expire, even if new tokens have a shorter lifetime', async t => {
  const { url, db } = await service(t)
  const token = await accessToken(url)
  const shorter = { ...settings, signingKeyMaxAge: 0, accessTokenTtl: 300 }
  await rotateKeys(db, shorter, { now: true, actor: noActor })
  later(t, 80_000)
  await maintainKeys(db, shorter)
  t.ok(await opens(url, token))
  later(t, 6_500)
  await maintainKeys(db, shorter)
  t.notOk((await listSigningKeys(db)).some(({ id }) => id === kidOf(token)))
})

t.test('of two processes that find a rotation due, one rotates', async t => {
  const { db } = await service(t)
  const limits = { ...settings, signingKeyMaxAge: 3600 }
  later(t, 4000)
  await maintainKeys(db, limits)
  later(t, 400)
  const slow = runBetween(db, 'product_signing_key', () => maintainKeys(db, limits))
  t.equal(await maintainKeys(slow, limits), undefined)
  t.same(
    (await listSigningKeys(db)).map(({ status }) => status),
    ['retired', 'current'],
    'and no third key'
  )
})

for (const signingAlgorithm of ['ES256', 'RS256', 'EdDSA'] as const) {
  onlyOn('sqlite', `${signingAlgorithm} signs, and another library verifies`, async t => {
    const { url } = await service(t, { signingAlgorithm })
    const token = await accessToken(url)
    t.equal(decodeProtectedHeader(token).alg, signingAlgorithm)
    const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`))
    await jwtVerify(token, keys, { issuer: url, algorithms: [signingAlgorithm] })
    t.ok(await opens(url, token))
    const published = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: object[] }
    for (const key of published.keys)
      t.notOk(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].some(name => name in key))
  })
}

onlyOn('sqlite', 'keys may come from a file', async t => {
  const make = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const file = join(await directory(t), 'keys.json')
  await writeFile(file, JSON.stringify({ keys: [make(), make()] }))
  const { url, db } = await service(t, { signingKeysFile: file })
  const token = await accessToken(url)
  t.ok(await opens(url, token))
  t.equal((await kids(url))[0], kidOf(token), 'the first one signs')
  t.equal((await kids(url)).length, 2)
  t.same(await listSigningKeys(db), [], 'and the database has none')
})

onlyOn('sqlite', 'an unusable file is reported in one line, without its content', async t => {
  const folder = await directory(t)
  const shortKey = generateKeyPairSync('rsa', { modulusLength: 1024 })
  for (const text of [
    '{"keys":[]}',
    JSON.stringify({ keys: [shortKey.privateKey.export({ format: 'jwk' })] }),
    '{"d":"s3cr3t"',
    '{"keys":[{"kty":"oct","k":"s3cr3t"}]}',
    '{"keys":[{"kty":"EC","crv":"P-256","d":"s3cr3t"}]}'
  ]) {
    const file = join(folder, 'keys.json')
    await writeFile(file, text)
    await t.rejects(service(t, { signingKeysFile: file }), {
      code: 'PTS_BAD_KEYS',
      message: /^SIGNING_KEYS_FILE cannot be used: [^{]*$/
    })
  }
  await t.rejects(service(t, { signingKeysFile: join(folder, 'none') }), {
    code: 'PTS_BAD_KEYS',
    message: /ENOENT/
  })
})

const never = () => t.fail('every key can be opened')

t.test('with a secret, all private keys are encrypted, including existing ones', async t => {
  const keyEncryptionSecret = 's3cr3t of sixteen letters and more'
  const { url, db } = await service(t)
  const token = await accessToken(url)
  t.match((await listSigningKeys(db))[0]?.privateJwk, /"d":/)

  const ring = await openKeyRing(db, { ...settings, keyEncryptionSecret }, never)
  for (const { privateJwk } of await listSigningKeys(db)) t.notMatch(privateJwk, /"d":|"kty":/)
  t.equal((await ring.current()).kid, kidOf(token), 'the key is the same')
  const [{ privateJwk = '' } = {}] = await listSigningKeys(db)
  t.ok(Number(decodeProtectedHeader(privateJwk).p2c) >= 210_000, 'a phrase is not guessed at a glance')
  t.ok(await opens(url, token), 'a service that has it open goes on')
  await t.rejects(openKeyRing(db, settings, never), {
    code: 'PTS_BAD_KEYS',
    message: /set KEY_ENCRYPTION_SECRET/
  })
  await t.rejects(
    openKeyRing(db, { ...settings, keyEncryptionSecret: 'another secret of the sort' }, never),
    {
      code: 'PTS_BAD_KEYS',
      message: 'KEY_ENCRYPTION_SECRET does not decrypt the signing keys'
    }
  )
})

t.test('keys are encrypted with a new secret, also those stored meanwhile', async t => {
  const [old, fresh] = ['s3cr3t of sixteen letters and more', 's3cr3t of other letters and more']
  const { url, db } = await service(t, { keyEncryptionSecret: old })
  const token = await accessToken(url)
  const clear = { signingAlgorithm: 'ES256' as const }
  const secrets = { keyEncryptionSecret: fresh, keyEncryptionSecretOld: old }
  const late = await generateStoredKey({ ...clear, keyEncryptionSecret: old })
  const slow = runBetween(db, 'product_signing_key', () => insertSigningKey(db, late, 'next'))
  t.same((await reencryptKeys(slow, tables, secrets, noActor)).sort(), [kidOf(token), late.id].sort())
  for (const { privateJwk } of await listSigningKeys(db)) t.ok(await decrypt(privateJwk, fresh))
  t.ok(await engineOf(db).eraseRemains(db, listSealedTables(tables)))
  t.same(await reencryptKeys(db, tables, secrets, noActor), [], 'once')
  t.ok(await opens(url, token), 'a service that has it open goes on')
  t.equal((await openKeyRing(db, { ...settings, keyEncryptionSecret: fresh }, never)).mutable, true)
  await insertSigningKey(
    db,
    { ...(await generateStoredKey(clear)), privateJwk: await sealKey({}, 'a third one of the sort') },
    'next'
  )
  await t.rejects(reencryptKeys(db, tables, secrets, noActor), {
    code: 'PTS_BAD_KEYS',
    message: /^neither KEY_ENCRYPTION_SECRET nor/
  })
})

onlyOn('sqlite', 'a key encrypted with fewer iterations is still decrypted', async t => {
  const keyEncryptionSecret = 's3cr3t of sixteen letters and more'
  const { url, db } = await service(t)
  const token = await accessToken(url)
  const [{ id = '', privateJwk = '' } = {}] = await listSigningKeys(db)
  const sealed = await new CompactEncrypt(Buffer.from(privateJwk))
    .setProtectedHeader({ alg: 'PBES2-HS512+A256KW', enc: 'A256GCM' })
    .encrypt(Buffer.from(keyEncryptionSecret))
  await replacePrivateJwk(db, id, privateJwk, sealed)
  const ring = await openKeyRing(db, { ...settings, keyEncryptionSecret }, never)
  t.equal((await ring.current()).kid, kidOf(token))
})

t.test('unknown keys are looked for once, until another key signs', async t => {
  const { db } = await service(t)
  let statements = 0
  const counted = db.withPlugin({
    transformQuery({ node }) {
      if (JSON.stringify(node).includes('"product_signing_key"')) statements++
      return node
    },
    transformResult: async ({ result }) => result
  })
  const ring = await openKeyRing(counted, settings, never)
  const before = statements
  const find = async (kid: string) => (await ring.find(kid))?.kid
  t.same(await Promise.all(['a', 'b', 'a'].map(find)), [undefined, undefined, undefined])
  t.equal(await find('c'), undefined)
  t.equal(statements - before, 1)
  const { kid } = await rotateKeys(db, settings, { now: true, actor: noActor })
  t.equal(await find(kid), kid, 'at once')
})

t.test('a slow reading of the keys forgets no newer key', async t => {
  const { db } = await service(t)
  let hold: Promise<void> | undefined
  const slowly = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const held = hold
      hold = undefined
      await held
      return result
    }
  })
  const ring = await openKeyRing(slowly, settings, never)
  const { promise, resolve } = Promise.withResolvers<void>()
  hold = promise
  const slow = ring.published()
  while (hold) await setImmediate()
  const key = await generateStoredKey(settings)
  await insertSigningKey(db, key, 'next')
  t.equal((await ring.published()).length, 2)
  resolve()
  t.equal((await slow).length, 1, 'it has the keys of its own time')
  t.equal((await ring.find(key.id))?.kid, key.id)
  t.equal((await ring.published()).length, 2)
})

onlyOn('sqlite', 'after a failed search, an unknown key is looked for again', async t => {
  const { db } = await service(t)
  const ring = await openKeyRing(db, settings, never)
  await sql`alter table product_signing_key rename to hidden`.execute(db)
  await t.rejects(ring.find('a'))
  await sql`alter table hidden rename to product_signing_key`.execute(db)
  t.equal(await ring.find('a'), undefined)
})

t.test('a key that cannot be decrypted is ignored and breaks nothing else', async t => {
  const keyEncryptionSecret = 's3cr3t of sixteen letters and more'
  const { url, db, lines } = await loggedService(t, { keyEncryptionSecret })
  const token = await accessToken(url)
  const foreign = await sealKey({ kty: 'EC' }, 'another secret of the sort')
  await insertSigningKey(db, { id: 'foreign', algorithm: 'ES256', privateJwk: foreign }, 'next')
  t.same(await kids(url), [kidOf(token)])
  const forged = `${Buffer.from('{"alg":"ES256","kid":"foreign"}').toString('base64url')}.e30.AAAA`
  t.notOk(await opens(url, forged))
  const tokens = await Promise.all([accessToken(url), accessToken(url)])
  for (const fresh of tokens) t.ok(await opens(url, fresh))
  t.same(
    lines.filter(({ kid }) => kid === 'foreign').map(({ level, msg }) => [level, msg]),
    [[50, 'a signing key cannot be opened: its tokens are refused']],
    'told once'
  )
})
