// Runs on SQLite only.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { createLocalJWKSet } from 'jose'
import { t } from 'tap'
import { makeKey, startIssuer } from '../../../test/support/identity/issuer.ts'
import { until } from '../../../test/support/until.ts'
import { IssuerKeys } from '../keys.ts'

const minute = 60_000
const [first, second] = await Promise.all([makeKey('first'), makeKey('second')])

t.test('keys are read again when they are old, and stay if they cannot be', async t => {
  const issuer = await startIssuer(t)
  issuer.publish(first)
  let now = 0
  const failures: unknown[] = []
  const keys = new IssuerKeys(
    issuer,
    error => failures.push(error),
    () => now
  )
  const reads = () => issuer.asked.filter(path => path === '/keys').length
  const has = async (kid: string) => {
    const set = (await keys.current()) as ReturnType<typeof createLocalJWKSet>
    return set({ alg: 'ES256', kid }, undefined).then(
      () => true,
      () => false
    )
  }
  t.same([await has('first'), await has('second'), reads()], [true, false, 1])
  issuer.publish(second)
  now = 10 * minute
  t.same([await has('first'), reads()], [true, 1], 'they are fresh')
  const set = await keys.current()
  t.ok(set && keys.isCurrent(set))
  now = 71 * minute
  t.same([await has('first'), await has('second'), reads()], [false, true, 2], 'too old to be used unread')
  t.notOk(set && keys.isCurrent(set), 'a token of the first key has to be verified again')
  now += 11 * minute
  const current = await keys.current()
  await keys.afterMiss()
  t.equal(await keys.current(), current, 'the same keys are the same set')

  await issuer.stop()
  now += 200 * minute
  t.same([await has('second'), keys.hasFailed, failures.length], [true, true, 1])
  t.same([await has('second'), failures.length], [true, 1], 'tried once a minute')
  await issuer.start()
  now += 2 * minute
  t.same([await has('second'), keys.hasFailed], [true, false])
})

t.test('a slow answer does not replace a newer one', async t => {
  const answers: (() => void)[] = []
  const server = createServer((_request, response) => {
    const body = JSON.stringify({ keys: [published.publicJwk] })
    answers.push(() => response.end(body))
    if (answers.length !== 2) answers.at(-1)?.()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  let published = first
  let now = 0
  const jwksUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const keys = new IssuerKeys(
    { issuer: jwksUri, jwksUri },
    () => {},
    () => now
  )
  await keys.current()
  now = 11 * minute
  await keys.current()
  await until(() => answers.length === 2)
  now++
  published = second
  const newer = await keys.afterMiss()
  answers[1]?.()
  // An answer to what is asked later comes later.
  for (let trips = 0; trips < 3; trips++) await (await fetch(jwksUri)).bytes()
  t.equal(await keys.current(), newer)
  t.notOk(keys.hasFailed)
})

t.test('an answer without keys is a failure, also an empty one', async t => {
  for (const answer of ['', 'null', '{"keys":{}}', '{"keys":[null]}', '<html>']) {
    const jwksUri = join(t.testdir(), 'keys.json')
    writeFileSync(jwksUri, answer)
    const keys = new IssuerKeys({ issuer: 'https://login.example', jwksUri }, () => {})
    t.same([await keys.current(), keys.hasFailed], [undefined, true], answer)
  }
})

t.test('keys are read for a token that names an unknown one, once a minute', async t => {
  const issuer = await startIssuer(t)
  let now = 0
  const keys = new IssuerKeys(
    issuer,
    () => {},
    () => now
  )
  await keys.current()
  const reads = () => issuer.asked.filter(path => path === '/keys').length
  await Promise.all([keys.afterMiss(), keys.afterMiss(), keys.afterMiss()])
  t.equal(reads(), 2)
  now = minute
  await keys.afterMiss()
  t.equal(reads(), 2)
  now = minute + 1
  await keys.afterMiss()
  t.equal(reads(), 3)
})
