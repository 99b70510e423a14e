import { type ExecutionResult, type GraphQLError, OperationTypeNode } from 'graphql'
import type { MercuriusPlugin } from 'mercurius'
import { overloaded } from '../runtime/errors.ts'
import { unitsPerMillisecond } from './admission/unit-costs.ts'
import {
  doneWithoutResult,
  hasCode,
  makeError,
  maskErrors,
  toFailedResult,
  toRefusedResult
} from './errors.ts'
import { executeDocument } from './mercurius.ts'
import { needsWorkerThread, type Operation, type SubscriptionStart } from './operation/operation.ts'
import { type Body, type Result, toBody, toJson } from './result.ts'
import { runOnThread } from './threads/run-on-thread.ts'

/** An executed operation. */
export interface ExecutedOperation extends Pick<Result, 'errors'> {
  /** The result as JSON. */
  body: Body
  /** Whether the result has `data`, also null. A refused operation has none, unless it lacks scopes. */
  hasData: boolean
  /** Whether it was refused, so that nothing of it has begun. */
  isRefused?: boolean
  /** Whether the service may cache the response: it is complete, and depends on the templates alone. */
  isCacheable?: boolean
  /** If true, the response must not be cached anywhere. */
  isSecret?: boolean
  /** The start of a subscription, which has no result. */
  subscription?: SubscriptionStart | undefined
  /** Why an operation that was not refused has no result, for the log. */
  failure?: string | undefined
}

/**
 * Executes an operation when it may start: a small one on this thread, a large one on a worker thread. Rejects only if
 * the service fails. The caller's mistakes are in the result.
 */
export async function executeOperation(
  graphql: MercuriusPlugin,
  operation: Operation
): Promise<ExecutedOperation> {
  let hasBegun = false
  try {
    await operation.input.waitForTurn?.(() => operation.lifetime.signal)
    hasBegun = true
    return (await executeHere(graphql, operation)) ?? (await runOnThread(operation))
  } catch (error) {
    // The client may send an operation again that has not begun.
    if (!hasBegun && hasCode(error, 'TIMEOUT'))
      throw overloaded('earlier operations of this token took too long')
    return toFailedOperation(error, operation)
  } finally {
    // Ends the fields that still run: graphql-js does not stop them after another has failed.
    operation.lifetime.end(resultIsComplete)
    operation.reader.endSnapshot()
  }
}

const resultIsComplete = makeError('the result is complete', 'COMPLETE')

/** Executes an operation on this thread. Resolves with undefined if it is too large for that. */
async function executeHere(
  graphql: MercuriusPlugin,
  operation: Operation
): Promise<ExecutedOperation | undefined> {
  const begun = performance.now()
  try {
    return toExecutedOperation(await operation.lifetime.race(executeDocument(graphql, operation)), operation)
  } catch (error) {
    if (error === needsWorkerThread) return void operation.reader.endSnapshot()
    // An operation whose time is over or whose client has gone before its admission has failed, too.
    operation.lifetime.throwIfEnded()
    if (operation.isAdmitted) throw error
    return { ...toExecuted(toRefusedResult(error)), isRefused: true }
  } finally {
    operation.cost.actual += (performance.now() - begun) * unitsPerMillisecond
  }
}

/** Makes the response of an executed document. Throws the error of a field if the server of a replica has failed. */
function toExecutedOperation({ data, errors }: ExecutionResult, operation: Operation): ExecutedOperation {
  const { type, isCacheable, isSecret, subscription, mayHaveWritten, input } = operation
  // The field of a subscription has no value when it begins.
  if (subscription) return { body: '{}', hasData: false, subscription }
  for (const { originalError } of errors ?? []) operation.reader.throwIfReplicaFailed(originalError)
  const result = errors ? maskErrors({ data, errors }, mayHaveWritten, input.report) : { data }
  // Larger operations run on worker threads, which have none themselves.
  const serialize = input.threads ? toJson : toBody
  const body = serialize(result, input.settings.graphqlMaxResultSize)
  return {
    ...toExecuted(result, body),
    isCacheable: isCacheable && type === OperationTypeNode.QUERY && !errors,
    isSecret
  }
}

/** Makes the response of an operation that has failed as a whole. */
function toFailedOperation(thrown: unknown, { mayHaveWritten }: Operation): ExecutedOperation {
  const error =
    mayHaveWritten && hasCode(thrown, 'RESULT_TOO_LARGE')
      ? doneWithoutResult('its result is too large')
      : thrown
  return { ...toExecuted(toFailedResult(error)), failure: (error as GraphQLError).message }
}

/** Makes the response of a result. */
export const toExecuted = (result: Result, body: Body = JSON.stringify(result)): ExecutedOperation => ({
  body,
  errors: result.errors,
  hasData: 'data' in result
})
