/** Executes an operation that is too large for the service's thread on a worker thread. */
import { OperationTypeNode } from 'graphql'
import { inSpan } from '../../runtime/tracing.ts'
import { maxMainThreadCost, maxShortCost } from '../admission/unit-costs.ts'
import { makeError } from '../errors.ts'
import type { ExecutedOperation } from '../execute.ts'
import type { Operation } from '../operation/operation.ts'
import { countBodyBytes } from '../result.ts'
import { fromFailure } from './failure.ts'
import { ThreadMemoryExceeded, type WorkerThreads } from './pool.ts'
import type { ThreadTask } from './thread.ts'

/** Milliseconds in which a worker thread that writes must report that its time is over. */
const grace = 5000

/** Rejects as soon as the operation ends. If the thread runs out of memory, rejects with RESULT_TOO_LARGE. */
export async function runOnThread(operation: Operation): Promise<ExecutedOperation> {
  const { caller, settings, lifetime } = operation
  const { parameters, issuer, threads, token = '', templatesVersion, report } = operation.input
  const { query, variables, operationName } = parameters
  const isMutation = operation.type === OperationTypeNode.MUTATION
  lifetime.letTimeoutSayNothingWritten(isMutation)
  const begin = (): ThreadTask => {
    const milliseconds = lifetime.millisecondsLeft
    if (isMutation) {
      // From here on, only the thread knows whether something was written.
      lifetime.letTimeoutSayNothingWritten(false)
      lifetime.extend(grace)
    }
    return {
      parameters: { query: query as string, variables, operationName },
      caller: { ...caller, rule: caller.rule?.text },
      templatesVersion,
      issuer: issuer(),
      maxResultSize: settings.graphqlMaxResultSize,
      milliseconds
    }
  }
  const { requested } = operation.cost
  // An operation that has moved here because it is larger than its cost may take any time.
  const isShort = requested > maxMainThreadCost && requested < maxShortCost
  const run = () => (threads as WorkerThreads).run(begin, { token, isShort, signal: lifetime.signal })
  const { executed, cost, maskedErrors } = await inSpan('worker thread', {}, run).catch(error => {
    if (!(error instanceof ThreadMemoryExceeded)) throw error
    const advice = isMutation ? 'it may be done, so look before you send it again' : 'request less'
    throw makeError(`the operation needs more memory than it may take; ${advice}`, 'RESULT_TOO_LARGE')
  })
  for (const { failure, errorId } of maskedErrors) report(fromFailure(failure), errorId)
  Object.assign(operation.cost, cost, { actual: operation.cost.actual + cost.actual })
  if (typeof executed.body !== 'string') countForCollector(countBodyBytes(executed.body))
  return executed
}

/**
 * Makes V8 collect garbage after about 256 MB of responses, by a buffer that nobody uses. V8 does not count shared
 * memory, so without this, V8 would free it late. V8 counts each byte of transferred memory, so transfers would stop
 * this thread for a collection after 64 MB.
 */
const countForCollector = (bytes: number): unknown => new ArrayBuffer(bytes / 4)
