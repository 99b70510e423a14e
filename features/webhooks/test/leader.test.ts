/** One process at a time leads, by the time of each process alone. */
import { t } from 'tap'
import { database } from '../../../test/support/service/service.ts'
import { Leadership } from '../rows/leader.ts'

t.test('another process takes over only after the leader has noticed that it is late', async t => {
  const db = await database(t)
  let clock = 1000
  t.intercept(performance, 'now', { value: () => clock })
  const [one, other] = [new Leadership(db), new Leadership(db)]
  t.same([await one.renew(), await other.renew()], [true, false])
  for (let beat = 0; beat < 10; beat++) {
    clock += 4000
    t.same([one.isHeld, await one.renew(), await other.renew()], [true, true, false])
  }
  // It was stopped, and goes on.
  clock += 5001
  t.notOk(one.isHeld)
  t.ok(await other.renew())
  t.notOk(await one.renew())
  t.same([one.isHeld, other.isHeld], [false, true])
  await one.release()
  t.notOk(await one.renew(), 'it releases only what it holds')
  await other.release()
  t.notOk(other.isHeld)
  t.ok(await one.renew(), 'at once')
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
  t.ok(await one.renew())
  t.notOk(await other.renew(), 'this read takes four seconds')
  clock = 6500
  t.notOk(await other.renew())
  clock = 10_500
  t.ok(await other.renew())
})
