import type { KyselyPlugin } from 'kysely'
import { type Test, t } from 'tap'
import { limitFailures } from '../../accounts/login.ts'
import { RequestCounter } from '../../db/accounts/attempts.ts'
import type { Db } from '../../db/schema.ts'
import { openDatabase, productTemplates } from '../../index.ts'
import { invalidGrant } from '../../runtime/errors.ts'
import { databaseUrl } from '../support/database/database.ts'
import { tokenRequest } from '../support/http/http.ts'
import { loggedService } from '../support/service/log.ts'
import { addClient, addUser, cheapHash, database, host } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const stored = async (db: Db) =>
  (await db.selectFrom('product_attempt').select('count').execute()).map(({ count }) => count)

/** The database, and how many rows were counted into so far. */
function watched(db: Db) {
  const seen = { writes: 0, fault: undefined as Error | undefined }
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (node.kind === 'InsertQueryNode' && JSON.stringify(node).includes('product_attempt')) {
        if (seen.fault) throw seen.fault
        seen.writes++
      }
      return node
    },
    transformResult: async ({ result }) => result
  }
  return { db: db.withPlugin(plugin), seen }
}

/** Shifts every clock in this process, until the end of the test or a call of the returned function. */
function shiftClock(t: Test, seconds: number) {
  const realNow = Date.now
  const setBack = () => {
    Date.now = realNow
  }
  t.teardown(setBack)
  Date.now = () => realNow() + seconds * 1000
  return setBack
}

t.test('requests are counted exactly, and stored together', async t => {
  const { db, seen } = watched(await database(t))
  const counter = new RequestCounter(db)
  const counts = await Promise.all(
    Array.from({ length: 20 }, () => counter.count({ kind: 'client', id: 'a' }))
  )
  t.same(
    counts.map(({ count }) => count).sort((a, b) => a - b),
    Array.from({ length: 20 }, (_, index) => index + 1)
  )
  t.ok(counts.every(({ secondsLeft }) => secondsLeft > 0 && secondsLeft <= 60))
  t.equal((await counter.count({ kind: 'client', id: 'b' })).count, 1)
  t.equal((await counter.count({ kind: 'address', id: 'a' })).count, 1, 'of another kind')
  await counter.write()
  t.equal((await counter.count({ kind: 'client', id: 'a' })).count, 21)
  t.same((await stored(db)).sort(), [1, 1, 20])
  t.equal(seen.writes, 1)
  await counter.write()
  await counter.write()
  t.equal(seen.writes, 2, 'nothing is written twice')
})

t.test('processes share what is stored, and one that starts goes on from there', async t => {
  const db = await database(t)
  const [one, two] = [new RequestCounter(db), new RequestCounter(db)]
  for (let turn = 0; turn < 3; turn++)
    await Promise.all([one.count({ kind: 'client', id: 'a' }), two.count({ kind: 'client', id: 'a' })])
  await one.write()
  await two.write()
  t.equal((await two.count({ kind: 'client', id: 'a' })).count, 7)
  await two.write()
  t.same(await stored(db), [7])
  t.equal((await new RequestCounter(db).count({ kind: 'client', id: 'a' })).count, 8)
})

t.test('a window ends, whoever counted in it', async t => {
  const db = await database(t)
  const counter = new RequestCounter(db)
  await counter.count({ kind: 'client', id: 'a' })
  await counter.write()
  await counter.count({ kind: 'client', id: 'a' })
  shiftClock(t, 61)
  const [first, second] = await Promise.all([
    counter.count({ kind: 'client', id: 'a' }),
    counter.count({ kind: 'client', id: 'a' })
  ])
  t.same([first.count, second.count].sort(), [1, 2], 'what was not stored belongs to the old window')
  await counter.write()
  t.same(await stored(db), [2])
})

t.test('A02 a window that a clock far ahead has begun gets a right end when the clock is right', async t => {
  const db = await database(t)
  const counter = new RequestCounter(db)
  const setBack = shiftClock(t, 30 * 86_400)
  await counter.count({ kind: 'address', id: 'a' })
  await counter.write()
  await counter.count({ kind: 'address', id: 'a' })
  setBack()
  for (const [who, each] of Object.entries({ same: counter, other: new RequestCounter(db) })) {
    const { count, secondsLeft } = await each.count({ kind: 'address', id: 'a' })
    t.equal(count, 1, who)
    t.ok(secondsLeft <= 60, who)
  }
  await counter.write()
  t.same(await stored(db), [2])
})

t.test('A02 a clock that is a little ahead shares the windows of the others', async t => {
  const db = await database(t)
  const [ahead, right] = [new RequestCounter(db), new RequestCounter(db)]
  const setBack = shiftClock(t, 30)
  await ahead.count({ kind: 'address', id: 'a' })
  await ahead.write()
  setBack()
  t.equal((await right.count({ kind: 'address', id: 'a' })).count, 2)
})

t.test('A02 no account is locked for longer than its window, although the clock was far ahead', async t => {
  const db = await database(t)
  const refuse = async () => Promise.reject(invalidGrant('wrong password', 'wrong_password'))
  const logIn = () =>
    limitFailures(db, { accountLimit: 1 }, { kind: 'account', id: 'a' }, refuse).catch(error => error)
  const setBack = shiftClock(t, 30 * 86_400)
  t.match(await logIn(), { code: 'invalid_grant' })
  t.match(await logIn(), { statusCode: 429 })
  setBack()
  t.match(await logIn(), { code: 'invalid_grant' })
  t.match(await logIn(), { statusCode: 429, retryAfter: 900 })
})

t.test('what could not be stored is stored by the next write', async t => {
  const { db, seen } = watched(await database(t))
  const counter = new RequestCounter(db)
  await counter.count({ kind: 'client', id: 'a' })
  seen.fault = new Error('disk full')
  await t.rejects(counter.write(), seen.fault)
  t.equal((await counter.count({ kind: 'client', id: 'a' })).count, 2)
  seen.fault = undefined
  await counter.write()
  t.same(await stored(db), [2])
})

t.test('a service stores its counts every second, and tries again after a failure', async t => {
  const { db, seen } = watched(await database(t))
  const { app, url, lines } = await loggedService(t, { db })
  const failures = () => lines.filter(({ msg }) => /could not be stored$/.test(String(msg)))
  seen.fault = new Error('the disk is full')
  t.equal((await tokenRequest(url)).status, 200)
  await until(() => failures().length >= 2)
  seen.fault = undefined
  await until(async () => (await stored(db)).length === 2)
  t.same(await stored(db), [1, 1])
  t.equal((await tokenRequest(url)).status, 200)
  seen.fault = new Error('the disk is full')
  const before = failures().length
  await app.close()
  t.equal(failures().length, before + 2, 'a service that is closed tries once more')
})

t.test('of many addresses, those with most requests are stored first, and all are counted', async t => {
  const db = await database(t)
  const counter = new RequestCounter(db)
  const addresses = Array.from({ length: 600 }, (_, index) => `10.0.${index >> 8}.${index & 255}`)
  for (const address of addresses) await counter.count({ kind: 'address', id: address })
  for (let turn = 0; turn < 4; turn++) await counter.count({ kind: 'address', id: '10.0.2.80' })
  await counter.write()
  const counts = await stored(db)
  t.same([counts.length, Math.max(...counts)], [500, 5])
  t.equal((await counter.count({ kind: 'address', id: '10.0.0.1' })).count, 2)
  await counter.write()
  t.equal((await stored(db)).length, 600)
})

t.test('A02 a service that is closed stores its counts, and the next one goes on from there', async t => {
  const db = await database(t)
  await addUser(db)
  await addClient(db)
  for (const statuses of [
    [200, 200],
    [200, 429]
  ]) {
    const app = host(t)
    await app.register(productTemplates, { db, ...cheapHash, clientLimit: 3 })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    for (const status of statuses) t.equal((await tokenRequest(url)).status, status)
    await app.close()
  }
  t.same((await stored(db)).sort(), [4, 4], 'of the client and of the address')
})

t.test('a database of its own is still open when the counts are stored', async t => {
  const url = await databaseUrl(t)
  const prepared = await openDatabase(url)
  await addUser(prepared)
  await addClient(prepared)
  await prepared.destroy()
  const app = host(t)
  await app.register(productTemplates, { database: url, ...cheapHash })
  t.equal((await tokenRequest(await app.listen({ port: 0, host: '127.0.0.1' }))).status, 200)
  await app.close()
  const reopened = await openDatabase(url)
  t.teardown(() => reopened.destroy())
  t.same(await stored(reopened), [1, 1])
})
