// Runs on SQLite only, in test:all only.
import { EventEmitter } from 'node:events'
import { t } from 'tap'
import { ResponseMemory } from '../../../routes/responses/response-memory.ts'

class Carrier extends EventEmitter {
  destroyed = false
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
  const all = new ResponseMemory({ maxSize: 2 * large, stallTimeout: 1 })
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
  const all = new ResponseMemory({ maxSize: 0, stallTimeout: 1 })
  all.open(new Carrier()).add(small)
  const response = all.open(new Carrier())
  response.add(small - 1)
  response.add(1)
  t.throws(() => response.add(1), refused)
})

t.test('what is written after the client has gone counts for nothing', async t => {
  const all = new ResponseMemory({ maxSize: large, stallTimeout: 1 })
  const rawResponses = [new Carrier(), new Carrier()] as const
  rawResponses[0].destroy()
  const responses = rawResponses.map(rawResponse => all.open(rawResponse))
  rawResponses[1].destroy()
  for (const response of responses) response.add(10 * large)
  all.open(new Carrier()).add(large)
  t.throws(() => all.open(new Carrier()).add(large), refused)
})
