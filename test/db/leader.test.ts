/** One process at a time leads, by the time of each process alone. */
import { t } from 'tap'
import { Leadership } from '../../db/webhooks/leader.ts'
import { database } from '../service.ts'

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
