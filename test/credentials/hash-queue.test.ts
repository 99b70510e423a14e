// Runs on SQLite only, in test:all only.
import { setImmediate } from 'node:timers/promises'
import { t } from 'tap'
import {
  countConcurrentHashes,
  readHashMetrics,
  runQueuedHash
} from '../../accounts/credentials/hash-queue.ts'
import { until } from '../support/until.ts'

t.test('half of the threads stay free for files and host names', async t => {
  t.same(
    [2, 3, 64].map(cores => countConcurrentHashes(cores)),
    [1, 2, 2],
    'libuv has four threads'
  )
  t.same(
    ['1', '2', '6', '128', '0', 'many', ''].map(threads => countConcurrentHashes(64, threads)),
    [1, 1, 3, 4, 1, 1, 1]
  )
  t.equal(countConcurrentHashes(1, '128'), 1)
})

t.test('the queue is bounded, and rejects when full', async t => {
  const { promise: hashed, resolve: finish } = Promise.withResolvers<void>()
  let running = 0
  const hash = () => {
    running++
    return hashed
  }
  const ends = Promise.allSettled(Array.from({ length: 50 }, () => runQueuedHash(hash)))
  await setImmediate()
  const atOnce = running
  t.ok(atOnce >= 1 && atOnce <= 4, `${atOnce} at once`)
  finish()
  const refused = (await ends).filter(({ status }) => status === 'rejected')
  t.equal(running, atOnce + 32, 'as many as wait')
  t.equal(refused.length, 50 - running)
  t.match(refused[0], { reason: { code: 'temporarily_unavailable', statusCode: 503, retryAfter: 1 } })
  t.equal(await runQueuedHash(async () => 'room again'), 'room again')
})

t.test('a hash that waits for too long is refused, and its place in the queue is free', async t => {
  const { promise: hashed, resolve: finish } = Promise.withResolvers<void>()
  const { hashes_refused_total: before } = readHashMetrics()
  const jobs = Promise.allSettled(Array.from({ length: 5 }, () => runQueuedHash(() => hashed)))
  await setImmediate()
  const { hashes_running: running, hashes_waiting: waiting } = readHashMetrics()
  t.equal(running + waiting, 5)
  await until(() => readHashMetrics().hashes_waiting === 0)
  t.match(readHashMetrics(), { hashes_running: running, hashes_refused_total: before + waiting })
  finish()
  const refused = (await jobs).filter(({ status }) => status === 'rejected')
  t.equal(refused.length, waiting)
  t.match(refused[0], { reason: { code: 'temporarily_unavailable', statusCode: 503 } })
  t.match(readHashMetrics(), { hashes_running: 0, hashes_waiting: 0 })
})
