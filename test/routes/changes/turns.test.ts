// Runs on SQLite only, alone.
/** Streams of changes leave turns of the event loop to other requests. */
import { Readable } from 'node:stream'
import { type Test, t } from 'tap'
import { yieldStreamToEventLoop } from '../../../runtime/event-loop.ts'
import { openStream } from '../../support/http/event-stream.ts'
import { accessToken } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'

const streamCount = 40

/** Slows each writing of events to half of the time that streams may take in a turn. Counts those of a turn. */
function countWrites(t: Test) {
  const { push } = Readable.prototype
  const found = { most: 0 }
  let writes = 0
  let next = setImmediate(function beginTurn() {
    writes = 0
    // Another stream opens, so the time of a turn has just begun when the change comes.
    void yieldStreamToEventLoop()
    next = setImmediate(beginTurn)
  })
  Readable.prototype.push = function (chunk, encoding) {
    // The clients run in this process, too. Their sockets are no plain Readable, so they do not count.
    if (this.constructor === Readable && String(chunk).includes('\nevent: ')) {
      const end = performance.now() + 5
      while (performance.now() < end);
      found.most = Math.max(found.most, ++writes)
    }
    return push.call(this, chunk, encoding)
  }
  t.teardown(() => {
    clearImmediate(next)
    Readable.prototype.push = push
  })
  return found
}

t.test('streams that a change wakes share the time of a turn', async t => {
  const { url, db } = await service(t, { changesStreamsPerToken: streamCount })
  const token = await accessToken(url)
  const opening = Array.from({ length: streamCount }, () => openStream(url, token))
  const streams = await Promise.all(opening)
  const found = countWrites(t)
  await addTemplates(db, { id: 1 })
  await Promise.all(streams.map(stream => stream.events(1)))
  t.ok(found.most < streamCount / 4, `${found.most} streams write in a turn`)
  await Promise.all(streams.map(stream => stream.close()))
})
