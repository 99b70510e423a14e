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
export interface ExecutedOperation {
  result: Result
  /** The result as JSON. */
  body: Body
  /** Whether the service may cache the response: it is complete, and depends on the templates alone. */
  isCacheable?: boolean
  /** If true, the response must not be cached anywhere. */
  isSecret?: boolean
  /** The start of a subscription, which has no result. */
  subscription?: SubscriptionStart | undefined
  /** Why an admitted operation has no result, for the log. */
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
    if (error !== needsWorkerThread) throw error
    operation.reader.endSnapshot()
    return undefined
  } finally {
    operation.cost.actual += (performance.now() - begun) * unitsPerMillisecond
  }
}

/** Makes the response of an executed document. Throws the error of a field if the server of a replica has failed. */
function toExecutedOperation({ data, errors }: ExecutionResult, operation: Operation): ExecutedOperation {
  const { type, isCacheable, isSecret, subscription, hasWritten, input } = operation
  // The field of a subscription has no value when it begins.
  if (subscription) return { result: {}, body: '{}', subscription }
  for (const { originalError } of errors ?? []) operation.reader.throwIfReplicaFailed(originalError)
  const result = errors ? maskErrors({ data, errors }, hasWritten, input.report) : { data }
  // Larger operations run on worker threads, which have none themselves.
  const serialize = input.threads ? toJson : toBody
  const body = serialize(result, input.settings.graphqlMaxResultSize)
  return { result, body, isCacheable: isCacheable && type === OperationTypeNode.QUERY && !errors, isSecret }
}

/** Makes the response of an operation that was refused, or that has failed as a whole. */
function toFailedOperation(thrown: unknown, { type, hasWritten }: Operation): ExecutedOperation {
  const error =
    hasWritten && hasCode(thrown, 'RESULT_TOO_LARGE') ? doneWithoutResult('its result is too large') : thrown
  // An operation without a type was not admitted.
  const result = type ? toFailedResult(error) : toRefusedResult(error)
  return { result, body: JSON.stringify(result), failure: type && (error as GraphQLError).message }
}
