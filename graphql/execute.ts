import { type ExecutionResult, type GraphQLError, OperationTypeNode } from 'graphql'
import type { MercuriusPlugin } from 'mercurius'
import { isServerFault, reopening } from '../db/templates/snapshot.ts'
import { maskErrors, type Result, toFailedResult, toRefusedResult } from './errors.ts'
import { Execution } from './execution/execution.ts'
import type { Context } from './execution/fields.ts'
import type { Operation, SubscriptionStart } from './execution/operation.ts'

/** An executed operation. */
export interface Executed {
  result: Result
  /** The result as JSON. */
  body: Buffer[]
  /** Whether the service may keep it: it is complete, and depends on the templates alone. */
  isCacheable?: boolean
  /** Whether nobody, not even the client, may keep it. */
  isSecret?: boolean
  /** What a subscription asks for. It then has no result. */
  subscription?: SubscriptionStart | undefined
  /** Why an admitted operation has no result. */
  failure?: GraphQLError | undefined
}

/**
 * Executes an operation when it may start; again if it needs another snapshot. Rejects with an error that is not the
 * caller's.
 */
export async function executeOperation(graphql: MercuriusPlugin, operation: Operation): Promise<Executed> {
  const execution = new Execution(operation)
  try {
    await operation.start()
    const executing = executeDocument(graphql, execution)
    const result = await execution.race(executing).finally(() => void execution.snapshot?.end())
    return await execution.race(toExecuted(result, execution))
  } catch (error) {
    const again = execution.snapshot && reopening(execution.snapshot, error)
    if (!again) return toFailure(error, execution)
    execution.result.discard()
    Object.assign(operation.opening, again)
  } finally {
    execution.close()
  }
  return executeOperation(graphql, operation)
}

/** Parses, validates, begins (admission.ts) and executes the document. Rejects if it is not valid, or is refused. */
async function executeDocument(graphql: MercuriusPlugin, execution: Execution): Promise<ExecutionResult> {
  const { query, operationName } = execution.operation.input.request
  if (typeof query !== 'string') throw query
  // Without variables, because Mercurius' errors would quote them.
  return graphql(query, { execution } satisfies Context, undefined, operationName ?? undefined)
}

/** Makes the response of an executed document. Throws the error of a field if it came from a replica. */
async function toExecuted(
  { data, errors }: ExecutionResult,
  { operation, type, snapshot, subscription, result: json, isCacheable, isSecret }: Execution
): Promise<Executed> {
  // The field of a subscription has no value when it begins.
  if (subscription) return { result: {}, body: [Buffer.from('{}')], subscription }
  const fault = snapshot?.replica && errors?.find(({ originalError }) => isServerFault(originalError))
  if (fault) throw fault.originalError
  const result = errors ? maskErrors({ data, errors }, type, operation.input.report) : { data }
  const body = await json.serialize(result)
  return { result, body, isCacheable: isCacheable && type === OperationTypeNode.QUERY && !errors, isSecret }
}

/** Makes the response of an operation that was refused, or that has failed as a whole. */
function toFailure(error: unknown, { type }: Execution): Executed {
  const result = type ? toFailedResult(error) : toRefusedResult(error)
  const body = [Buffer.from(JSON.stringify(result))]
  return { result, body, failure: type && (error as GraphQLError) }
}
