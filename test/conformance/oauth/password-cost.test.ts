// Runs on SQLite only, alone, in test:all only.
/** Which cost a password is hashed and verified with, after the settings were changed. */
import * as argon2 from '@node-rs/argon2'
import { type Test, t } from 'tap'
import { hashPassword } from '../../../accounts/credentials/secrets.ts'
import { revokeFamilies } from '../../../db/accounts/refresh-tokens.ts'
import { findUserByEmail, setUserDisabled, updatePassword } from '../../../db/accounts/users.ts'
import type { Db } from '../../../db/schema.ts'
import { authorization, authorizePath, redirectUri, TestBrowser } from '../../support/browser/browser.ts'
import { runBetween } from '../../support/database/run-between.ts'
import { accessToken, basic, query, tokenRequest } from '../../support/http/http.ts'
import { secret } from '../../support/service/secrets.ts'
import {
  addClient,
  addUser,
  cheapHash,
  client,
  database,
  host,
  service,
  user
} from '../../support/service/service.ts'

const raised = { passwordMemory: 8192 }
const [cheap, dear] = ['m=7168,t=1,p=1', 'm=8192,t=1,p=1']

const costIn = (hash: string) => hash.split('$')[3]
const storedCost = async (db: Db) => costIn((await findUserByEmail(db, user.email))?.passwordHash ?? '')

/** A service with the raised settings, and the costs of the hashes that it verifies. */
async function recorded(t: Test, db: Db) {
  const verified: (string | undefined)[] = []
  const { default: productTemplates } = await t.mockImport<typeof import('../../../index.ts')>(
    '../../../index.ts',
    {
      '@node-rs/argon2': {
        ...argon2,
        verify: (hash: string, password: Buffer) => {
          verified.push(costIn(hash))
          return argon2.verify(hash, password)
        }
      }
    }
  )
  const app = host(t)
  await app.register(productTemplates, { db, ...raised, accountLimit: 0 })
  return { verified, url: await app.listen({ port: 0, host: '127.0.0.1' }) }
}

t.test('a login after a change of the settings renews the hash and revokes nothing', async t => {
  const { url, db } = await service(t, raised)
  await addClient(db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  const headers = { authorization: basic('app', client.secret) }
  t.equal((await tokenRequest(url, { password: secret('wrong') })).status, 400)
  t.equal(await storedCost(db), cheap, 'not without the password')

  const logins = await Promise.all([tokenRequest(url, {}, headers), tokenRequest(url, {}, headers)])
  const [first, second] = (await Promise.all(logins.map(login => login.json()))) as Record<string, string>[]
  t.equal(await storedCost(db), dear)
  const stored = await findUserByEmail(db, user.email)
  t.equal(stored?.tokenEpoch, 0)

  const third = await accessToken(url)
  t.equal((await findUserByEmail(db, user.email))?.passwordHash, stored?.passwordHash, 'once')
  for (const token of [first?.access_token, second?.access_token, third])
    t.equal((await query(url, token ?? '', '{ __typename }')).status, 200)
  const refresh = { grant_type: 'refresh_token', username: undefined, password: undefined }
  t.equal((await tokenRequest(url, { ...refresh, refresh_token: first?.refresh_token }, headers)).status, 200)
})

t.test('a password changed during a login stays changed', async t => {
  const db = await database(t)
  await addUser(db)
  await addClient(db)
  const other = secret('other')
  const otherHash = await hashPassword(other, cheapHash)
  const change = async () => {
    const changed = await findUserByEmail(db, user.email)
    await updatePassword(db, user.email, otherHash)
    await revokeFamilies(db, { user_id: changed?.id ?? '' })
  }
  const app = host(t)
  const { productTemplates } = await import('../../../index.ts')
  await app.register(productTemplates, { db: runBetween(db, 'product_user_wallet', change), ...raised })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  await tokenRequest(url)
  t.equal((await findUserByEmail(db, user.email))?.passwordHash, otherHash)
  t.equal((await tokenRequest(url)).status, 400)
  t.equal((await tokenRequest(url, { password: other })).status, 200)
  t.equal(await storedCost(db), dear)
})

t.test('an unknown account costs as much as the others do', async t => {
  const db = await database(t)
  await addClient(db)
  const { url, verified } = await recorded(t, db)
  const costsOf = async (...usernames: string[]) => {
    verified.length = 0
    for (const username of usernames)
      t.equal((await tokenRequest(url, { username, password: secret('wrong') })).status, 400)
    return verified.slice()
  }
  t.same(await costsOf('nobody@example.com'), [dear], 'by the settings where there are no accounts')

  // Each is the next one to half of all points.
  await addUser(db, { id: '7fffffff-ffff-4fff-bfff-ffffffffffff' })
  t.same(await costsOf(user.email, 'nobody@example.com', 'eve@example.com'), [cheap, cheap, cheap])

  const passwordHash = await hashPassword(secret('new'), raised)
  await addUser(db, { id: 'ffffffff-ffff-4fff-bfff-ffffffffffff', email: 'new@example.com', passwordHash })
  const strangers = Array.from({ length: 24 }, (_, index) => `nobody${index}@example.com`)
  const costs = await costsOf(...strangers)
  t.same([...new Set(costs)].sort(), [cheap, dear], 'some like the one, some like the other')
  t.same(await costsOf(...strangers.map(email => email.toUpperCase())), costs, 'each always the same')
})

t.test('a password that is too long asks the database the same for every account', async t => {
  const db = await database(t)
  let statements = 0
  const counted = db.withPlugin({
    transformQuery({ node }) {
      statements++
      return node
    },
    transformResult: async ({ result }) => result
  })
  const { url } = await service(t, { db: counted, accountLimit: 0 })
  const password = secret('x'.repeat(1025))
  const counts: number[] = []
  for (const username of [user.email, 'nobody@example.com', user.email, 'nobody@example.com']) {
    statements = 0
    t.equal((await tokenRequest(url, { username, password })).status, 400)
    counts.push(statements)
  }
  t.same(counts.slice(2), [counts[2], counts[2]])
})

t.test('P21 a login on the page costs the same for every account', async t => {
  const db = await database(t)
  const { url, verified } = await recorded(t, db)
  await addUser(db)
  await addUser(db, { id: 'ffffffff-ffff-4fff-bfff-ffffffffffff', email: 'off@example.com' })
  await setUserDisabled(db, 'off@example.com', true)
  const grants = { grantTypes: ['authorization_code'], isPublic: true, redirectUris: [redirectUri] }
  await addClient(db, { id: 'web', ...grants })
  const browser = new TestBrowser(url)
  const page = await browser.visit(authorizePath(authorization({ client_id: 'web' })))
  for (const username of [user.email, 'off@example.com', 'nobody@example.com']) {
    const form = { username, password: secret('wrong'), decision: 'login' }
    t.match((await browser.submit(page, form)).text, 'E-mail address or password is wrong.')
  }
  t.same(verified, [cheap, cheap, cheap])
})

t.test('a hash with unknown parameters is verified and replaced', async t => {
  const { url, db } = await service(t)
  const foreign = await argon2.hash(user.password.normalize('NFC'), { algorithm: argon2.Algorithm.Argon2i })
  await db.updateTable('product_user').set({ password_hash: foreign }).execute()
  t.equal((await tokenRequest(url, { username: 'nobody@example.com' })).status, 400)
  t.equal((await tokenRequest(url)).status, 200)
  t.equal(await storedCost(db), cheap)
  t.equal((await tokenRequest(url)).status, 200)
})
