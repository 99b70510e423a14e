import { t } from 'tap'
import { tooManyRequests } from '../../../errors.ts'
import { Admission } from '../../../routes/graphql/admission.ts'

const { signal } = new AbortController()
const refused = tooManyRequests('waiting operations of the token', 1)
const megabyte = 2 ** 20

t.test('a token has a bounded number of waiting operations, and others are not affected', async t => {
  const admission = new Admission({ concurrency: 1, costRate: 0 })
  const leave = await admission.enter('one', 100, signal)
  const waiting = Array.from({ length: 1000 }, () => admission.enter('one', 100, signal))
  await t.rejects(admission.enter('one', 100, signal), refused)
  const leaveOther = await admission.enter('other', 100, signal)
  leaveOther(1)
  leave(1)
  // Now one fewer waits.
  const last = admission.enter('one', 100, signal)
  await t.rejects(admission.enter('one', 100, signal), refused)
  for (const next of waiting) (await next)(1)
  t.type(await last, 'function')
})

t.test('the waiting requests of a token have a bounded size', async t => {
  const admission = new Admission({ concurrency: 1, costRate: 0 })
  const leave = await admission.enter('one', 0, signal)
  const gone = new AbortController()
  const large = admission.enter('one', 100 * megabyte, gone.signal)
  await t.rejects(admission.enter('one', megabyte, signal), refused)
  const reason = new Error('gone')
  gone.abort(reason)
  await t.rejects(large, reason)
  const waiting = Array.from({ length: 64 }, () => admission.enter('one', megabyte, signal))
  await t.rejects(admission.enter('one', megabyte, signal), refused)
  leave(1)
  for (const next of waiting) (await next)(1)
  t.type(await admission.enter('one', megabyte, signal), 'function')
})
