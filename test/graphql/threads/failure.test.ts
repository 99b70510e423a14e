// Runs on SQLite only: no statement runs.
/** Errors on their way to another thread. */
import { t } from 'tap'
import { isUnavailable, NotReady } from '../../../db/dialects/faults.ts'
import { fromFailure, toFailure } from '../../../graphql/threads/failure.ts'
import { toPublicError } from '../../../plugins/error-handler.ts'
import { overloaded, PublicError, unavailable } from '../../../runtime/errors.ts'

const send = (error: unknown): Error => fromFailure(structuredClone(toFailure(error)))

t.test('a public error stays one, with its cause', async t => {
  const sent = send(unavailable(new NotReady('not yet'), 'not_ready'))
  t.ok(sent instanceof PublicError)
  t.match(sent, { statusCode: 503, code: 'unavailable', metricReason: 'not_ready', retryAfter: 1 })
  t.match(sent.cause, { message: 'not yet', code: 'PTS_NOT_READY' })
  const error = overloaded('too many', 'pending_size')
  t.same(send(error), error)
  t.equal(send(error).stack, error.stack)
})

t.test('a fault of the database stays unavailable, with its reason', async t => {
  for (const fields of [
    { code: 'SQLITE_FULL' },
    { code: '0A000', routine: 'RevalidateCachedQuery' },
    { code: '08006', severity: 'FATAL' }
  ]) {
    const sent = send(Object.assign(new Error('a fault'), fields))
    t.match(sent, { message: 'a fault', ...fields })
    t.ok(isUnavailable(sent))
  }
  t.equal(toPublicError(send(new NotReady('not yet'))).metricReason, 'not_ready')
})

t.test('any other error keeps its name and the stack of its thread', async t => {
  const error = new RangeError('odd')
  t.match(send(error), { name: 'RangeError', message: 'odd', stack: error.stack })
  t.equal(toPublicError(send(error)).statusCode, 500)
  t.match(send('a text'), { message: 'a text' })
})
