// Runs on SQLite only.
import { once } from 'node:events'
import { GraphQLError } from 'graphql'
import { t } from 'tap'
import { maskErrors, toRefusedResult } from '../../graphql/errors.ts'
import { executeOperation } from '../../graphql/execute.ts'
import { Operation } from '../../graphql/operation/operation.ts'
import { parseServiceOptions } from '../../options/index.ts'
import { unavailable } from '../../runtime/errors.ts'
import { makeTask } from './threads/support.ts'

t.test('an error with its own code keeps it', async t => {
  t.match(toRefusedResult(new GraphQLError('no', { extensions: { code: 'FORBIDDEN' } })).errors, [
    { extensions: { code: 'FORBIDDEN' } }
  ])
})

t.test('a failure after a write does not ask the client to send the operation again', async t => {
  const originalError = unavailable('the database is gone')
  const failed = { data: null, errors: [new GraphQLError('no', { originalError })] }
  t.throws(() => maskErrors(failed, false, () => {}), /temporarily unavailable/)
  t.match(
    maskErrors(failed, true, () => {}),
    { data: null, errors: [{ message: 'internal server error' }] }
  )
})

t.test('an error without an original one, as of graphql-jit, is reported itself', async t => {
  const error = new GraphQLError('Cannot return null')
  const reported: unknown[] = []
  maskErrors({ data: null, errors: [error] }, false, thrown => reported.push(thrown))
  t.same(reported, [error])
})

t.test('an operation whose time is over before it begins may be sent again', async t => {
  const { parameters, issuer, templatesVersion, caller } = makeTask('{ __typename }')
  const operation = new Operation({
    parameters,
    templatesVersion,
    caller: { ...caller, rule: undefined },
    settings: parseServiceOptions({ database: 'sqlite::memory:' }),
    issuer: () => issuer,
    db: {} as never,
    milliseconds: 1,
    async waitForTurn(getSignal) {
      await once(getSignal(), 'abort')
      throw getSignal().reason
    },
    report() {}
  })
  const refused = await executeOperation({} as never, operation).catch(error => error)
  t.match(refused, { statusCode: 503, retryAfter: 1 })
})
