import { EventEmitter } from 'node:events'
import { t } from 'tap'
import { PendingResponses } from '../../../routes/responses/pending-responses.ts'

class Carrier extends EventEmitter {
  destroyed = false
  socket: object | null = {}
  destroy() {
    this.destroyed = true
    this.emit('close')
  }
}

const refused = { code: 'unavailable', statusCode: 503, retryAfter: 1 }

/** Bytes; a small response is always granted. */
const small = 2 ** 18
const large = small + 1

t.test('large responses share the memory; one alone may take more', async t => {
  const all = new PendingResponses({ maxSize: 2 * large, stallTimeout: 1 })
  const [first, second] = [all.open(new Carrier()), all.open(new Carrier())]
  first.add(2 * large)
  first.add(large)
  t.throws(() => second.add(large), refused)
  first.subtract(2 * large)
  second.add(large)
  t.throws(() => first.add(1), refused)
  // What is refused is let go.
  second.add(large)
  t.throws(() => first.add(large), refused)
  second.subtract(large)
  first.add(large)
  first.close()
  first.close()
  second.add(large)
  t.throws(() => all.open(new Carrier()).add(large), refused)
})

t.test('small responses are always granted', async t => {
  const all = new PendingResponses({ maxSize: 0, stallTimeout: 1 })
  all.open(new Carrier()).add(small)
  const response = all.open(new Carrier())
  response.add(small - 1)
  response.add(1)
  t.throws(() => response.add(1), refused)
})

t.test('what is written after the client has gone counts for nothing', async t => {
  const all = new PendingResponses({ maxSize: large, stallTimeout: 1 })
  const carriers = [new Carrier(), new Carrier()] as const
  carriers[0].destroy()
  const responses = carriers.map(carrier => all.open(carrier))
  carriers[1].destroy()
  for (const response of responses) response.add(10 * large)
  all.open(new Carrier()).add(large)
  t.throws(() => all.open(new Carrier()).add(large), refused)
})

t.test('connections without progress are closed, from the moment that the response is sent', async t => {
  const all = new PendingResponses({ maxSize: 100, stallTimeout: 1 })
  const [writing, reading, stalled] = [new Carrier(), new Carrier(), new Carrier()] as const
  const states = () => [writing, reading, stalled].map(({ destroyed }) => destroyed)
  const [first, second, third] = [writing, reading, stalled].map(carrier => all.open(carrier))
  for (const response of [second, third]) response?.startSending()
  const now = performance.now()
  all.cutStalled(now + 900)
  t.same(states(), [false, false, false])
  if (second) second.progressAt = now + 500
  all.cutStalled(now + 1100)
  t.same(states(), [false, false, true])
  first?.startSending()
  all.cutStalled(now + 3000)
  t.same(states(), [true, true, true])
})

t.test('a response is not closed while others on its connection are sent', async t => {
  const all = new PendingResponses({ maxSize: 100, stallTimeout: 1 })
  const carrier = new Carrier()
  carrier.socket = null
  all.open(carrier).startSending()
  const now = performance.now()
  all.cutStalled(now + 5000)
  t.equal(carrier.destroyed, false)
  carrier.socket = {}
  all.cutStalled(now + 5900)
  t.equal(carrier.destroyed, false)
  all.cutStalled(now + 6100)
  t.equal(carrier.destroyed, true)
})
