// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { decodeProtectedHeader } from 'jose'
import { t } from 'tap'
import { demo } from '../../seeds/credentials.ts'
import { directory, migratedUrl } from '../support/database/database.ts'
import { accessToken, basic, query } from '../support/http/http.ts'
import { run, serve } from '../support/service/process.ts'
import { runInside } from './inside.ts'

t.test('keys are listed, rotated and retired while the service runs', async t => {
  const env = { DATABASE_URL: await migratedUrl(t) }
  const { url } = await serve(t, ['--demo'], env)
  const keys = async () =>
    JSON.parse((await run(t, ['keys', 'list', '--json'], env)).stdout) as { kid: string; status: string }[]
  const login = () =>
    accessToken(
      url,
      { username: demo.email, password: demo.password },
      { authorization: basic(demo.clientId, demo.clientSecret) }
    )
  const opens = async (token: string) => (await query(url, token, '{ __typename }')).status === 200

  const old = await login()
  const { kid = '' } = decodeProtectedHeader(old)
  t.match(await keys(), [{ kid, algorithm: 'ES256', status: 'current' }])
  t.match((await run(t, ['keys', 'rotate'], env)).stderr, /^Published key .* Run this command again in 300 s/)
  t.match(
    (await runInside(t, ['keys', 'rotate'], env)).stderr,
    /can be activated in \d+ s; nothing was changed/
  )
  t.equal(decodeProtectedHeader(await login()).kid, kid)
  t.match((await runInside(t, ['keys', 'rotate', '--now'], env)).stderr, /^Activated key /)
  const fresh = await login()
  t.not(decodeProtectedHeader(fresh).kid, kid)
  t.same(
    (await keys()).map(({ status }) => status),
    ['retired', 'current']
  )
  t.ok(await opens(old))

  const current = decodeProtectedHeader(fresh).kid as string
  const refused = await runInside(t, ['keys', 'retire', current], env)
  t.same(
    [refused.code, refused.stderr],
    [1, `product-templates: key ${current} is the current key: rotate the keys first\n`]
  )
  t.equal((await runInside(t, ['keys', 'retire', 'none'], env)).code, 1)
  t.match((await runInside(t, ['keys', 'retire', '--', '-X5o'], env)).stderr, /there is no key -X5o\n/)
  t.equal((await run(t, ['keys', 'retire', kid], env)).code, 0)
  t.notOk(await opens(old), 'at once, in the running process')
  t.ok(await opens(fresh))
})

t.test('the encryption secret may come from a file, and a wrong one is reported in one line', async t => {
  const env = { DATABASE_URL: await migratedUrl(t) }
  const first = await serve(t, ['--demo'], { ...env, KEY_ENCRYPTION_SECRET: 's3cr3t of more than sixteen' })
  first.child.kill('SIGTERM')
  t.equal((await first.ended).code, 0)
  const without = await run(t, ['serve'], env)
  t.same(
    [without.code, without.stderr],
    [2, 'product-templates: PTS_BAD_KEYS: the signing keys are encrypted: set KEY_ENCRYPTION_SECRET\n']
  )
  const wrong = await run(t, ['serve'], { ...env, KEY_ENCRYPTION_SECRET: 's3cr3t but not the right one' })
  t.same(
    [wrong.code, wrong.stderr],
    [2, 'product-templates: PTS_BAD_KEYS: KEY_ENCRYPTION_SECRET does not decrypt the signing keys\n']
  )
})

t.test('a new key is created only with the secret of the others', async t => {
  const env = { DATABASE_URL: await migratedUrl(t) }
  const good = { ...env, KEY_ENCRYPTION_SECRET: 's3cr3t of more than sixteen' }
  const wrong = { ...env, KEY_ENCRYPTION_SECRET: 's3cr3t but not the right one' }
  const { url } = await serve(t, ['--demo'], good)
  for (const words of [
    ['keys', 'rotate'],
    ['keys', 'rotate', '--now']
  ]) {
    for (const bad of [env, wrong]) {
      const { code, stderr } = await runInside(t, words, bad)
      t.equal(code, 2)
      t.match(stderr, /^product-templates: PTS_BAD_KEYS: .*KEY_ENCRYPTION_SECRET.*\n$/)
    }
  }
  t.equal(JSON.parse((await runInside(t, ['keys', 'list', '--json'], env)).stdout).length, 1)
  t.equal((await runInside(t, ['keys', 'rotate', '--now'], good)).code, 0)
  t.ok(
    await accessToken(
      url,
      { username: demo.email, password: demo.password },
      { authorization: basic(demo.clientId, demo.clientSecret) }
    )
  )

  const plain = { DATABASE_URL: await migratedUrl(t) }
  await serve(t, ['--demo'], plain)
  const early = await runInside(t, ['keys', 'rotate', '--now'], { ...good, ...plain })
  t.equal(early.code, 2)
  t.match(early.stderr, /PTS_BAD_KEYS: the signing keys are not encrypted yet: start the service with/)
})

t.test('the secret changes while the service runs, and no file keeps a former key', async t => {
  const folder = await directory(t)
  const path = join(folder, 'templates.db')
  const env = { DATABASE_URL: `sqlite:${path}`, ISSUER: 'http://keys.example.com' }
  const secretFile = async (name: string) => {
    const file = join(folder, name)
    await writeFile(file, `s3cr3t ${name} of more than sixteen\n`)
    return file
  }
  const [first, second] = [await secretFile('first'), await secretFile('second')]
  const login = (url: string) =>
    accessToken(
      url,
      { username: demo.email, password: demo.password },
      { authorization: basic(demo.clientId, demo.clientSecret) }
    )
  const opens = async (url: string, token: string) => (await query(url, token, '{ __typename }')).status
  const storedKey = () => {
    const file = new Sqlite(path, { readonly: true })
    const { private_jwk } = file.prepare('select private_jwk from product_signing_key').get() as {
      private_jwk: string
    }
    file.close()
    return private_jwk
  }
  /** The files of the database that have a text. */
  const filesWith = async (text: string) => {
    const names = (await readdir(folder)).filter(name => name.startsWith('templates.db'))
    const have = await Promise.all(
      names.map(async name => (await readFile(join(folder, name))).includes(text))
    )
    return names.filter((_, index) => have[index])
  }
  const reencrypt = (secrets: Record<string, string>, words: string[] = []) =>
    runInside(t, ['keys', 'reencrypt', ...words], { ...env, ...secrets })

  const clear = await serve(t, ['--demo'], env)
  const token = await login(clear.url)
  const { d } = JSON.parse(storedKey()) as { d: string }
  t.ok((await filesWith(d)).length > 0)
  const sealed = await run(t, ['keys', 'reencrypt', '--json'], { ...env, KEY_ENCRYPTION_SECRET_FILE: first })
  t.match(JSON.parse(sealed.stdout), { keys: [decodeProtectedHeader(token).kid], erased: true })
  const former = storedKey()
  t.same([await filesWith(d), (await filesWith(former)).length > 0], [[], true])
  t.equal(await opens(clear.url, await login(clear.url)), 200, 'a service that has the key open goes on')
  clear.child.kill('SIGTERM')
  await clear.ended

  const both = { KEY_ENCRYPTION_SECRET_FILE: second, KEY_ENCRYPTION_SECRET_OLD_FILE: first }
  const { url } = await serve(t, [], { ...env, ...both })
  t.equal(await opens(url, token), 200, 'with the former secret, under the same key')
  t.match(
    (await reencrypt({ KEY_ENCRYPTION_SECRET_FILE: second })).stderr,
    /PTS_BAD_KEYS: .*_SECRET does not decrypt/
  )
  t.match(
    (await reencrypt({ ...both, KEY_ENCRYPTION_SECRET_OLD_FILE: second })).stderr,
    /PTS_BAD_KEYS: neither .* nor /
  )
  t.equal(storedKey(), former)
  t.match((await reencrypt(both, ['--keep-remains'])).stderr, /^Encrypted 1 keys\.\n$/)
  t.ok((await filesWith(former)).length > 0)
  t.match((await reencrypt(both)).stderr, /^Encrypted 0 keys\. The files of the database no longer/)
  t.same(await filesWith(former), [])
  t.equal(
    (await runInside(t, ['keys', 'rotate', '--now'], { ...env, KEY_ENCRYPTION_SECRET_FILE: second })).code,
    0
  )
  t.same([await opens(url, token), await opens(url, await login(url))], [200, 200])
  t.match(
    (await runInside(t, ['keys', 'rotate'], { ...env, KEY_ENCRYPTION_SECRET_FILE: first })).stderr,
    /PTS_BAD_KEYS/
  )
  t.match(
    (await runInside(t, ['keys', 'reencrypt'], env)).stderr,
    /PTS_BAD_OPTION: KEY_ENCRYPTION_SECRET is missing/
  )
})

t.test('the commands refuse to run if the keys come from a file', async t => {
  const env = { DATABASE_URL: await migratedUrl(t), SIGNING_KEYS_FILE: '/srv/keys.json' }
  for (const words of [
    ['keys', 'list'],
    ['keys', 'rotate'],
    ['keys', 'retire', 'kid'],
    ['keys', 'reencrypt']
  ]) {
    const { code, stderr } = await runInside(t, words, env)
    t.equal(code, 2)
    t.match(stderr, /^product-templates: PTS_BAD_OPTION: SIGNING_KEYS_FILE is set: .*\n$/)
  }
})
