/** One process at a time leads, by the time of each process alone. */
import { t } from 'tap'
import { database } from '../../../test/support/service/service.ts'
import { Leadership } from '../rows/leader.ts'

t.test('another process takes over only after the leader has noticed that it is late', async t => {
  const db = await database(t)
  let clock = 1000
  t.intercept(performance, 'now', { value: () => clock })
  const [one, other] = [new Leadership(db), new Leadership(db)]
  t.same([await one.hold(), await other.hold()], [true, false])
  for (let beat = 0; beat < 10; beat++) {
    clock += 4000
    t.same([one.isHeld, await one.hold(), await other.hold()], [true, true, false])
  }
  // It was stopped, and goes on.
  clock += 5001
  t.notOk(one.isHeld)
  t.ok(await other.hold())
  t.notOk(await one.hold())
  t.same([one.isHeld, other.isHeld], [false, true])
  await one.release()
  t.notOk(await one.hold(), 'it releases only what it holds')
  await other.release()
  t.notOk(other.isHeld)
  t.ok(await one.hold(), 'at once')
})

t.test('a beat is as old as the read that found it, however long the read took', async t => {
  const db = await database(t)
  let clock = 1000
  t.intercept(performance, 'now', { value: () => clock })
  const slow = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (clock === 1000) clock = 5000
      return result
    }
  })
  const [one, other] = [new Leadership(db), new Leadership(slow)]
  t.ok(await one.hold())
  t.notOk(await other.hold(), 'this read takes four seconds')
  clock = 6500
  t.notOk(await other.hold())
  clock = 10_500
  t.ok(await other.hold())
})
