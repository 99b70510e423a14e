// Runs on SQLite only.
import { t } from 'tap'
import { formatTimestamp, timestamp } from '../../domain/timestamp.ts'

t.test('timestamps have six digits and sort by time', async t => {
  const stamps = Array.from({ length: 5000 }, timestamp)
  for (const stamp of stamps) {
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(stamp)) t.fail(stamp)
  }
  t.same([...stamps].sort(), stamps)
  t.equal(new Set(stamps).size, stamps.length)
})

t.test('the last three digits are measured, not zeros and not a counter', async t => {
  const digits = Array.from({ length: 100 }, () => {
    const until = performance.now() + 0.137
    while (performance.now() < until);
    return Number(timestamp().slice(-4, -1))
  })
  t.ok(Math.max(...digits) > 600 && new Set(digits).size > 30, digits.join(' '))
})

t.test('it is the time of the system clock', async t => {
  const before = Date.now()
  const stamp = Date.parse(timestamp())
  t.ok(stamp >= before - 10 && stamp <= Date.now() + 10)
})

t.test('microseconds have all six digits', async t => {
  t.equal(formatTimestamp(0), '1970-01-01T00:00:00.000000Z')
  t.equal(formatTimestamp(1_767_225_600_000_007), '2026-01-01T00:00:00.000007Z')
  t.equal(formatTimestamp(1_767_225_600_999_999), '2026-01-01T00:00:00.999999Z')
})

t.test('timestamps follow a clock that is set back', async t => {
  const realNow = Date.now
  t.teardown(() => {
    Date.now = realNow
  })
  Date.now = () => realNow() + 600_000
  t.ok(Date.parse(timestamp()) > realNow() + 590_000)
  Date.now = realNow
  t.ok(Date.parse(timestamp()) < realNow() + 1000)
})
