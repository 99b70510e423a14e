import { type GraphQLError, OperationTypeNode } from 'graphql'
import type { MercuriusPlugin } from 'mercurius'
import { openSnapshot, type Snapshot } from '../db/snapshot.ts'
import { type FilterInput, whereNeedsIndex } from '../db/templates/filter/filter.ts'
import { NeedsThread } from '../db/templates/meter.ts'
import { orderNeedsIndex, type TemplateOrder } from '../db/templates/read/order.ts'
import { type Admitted, admit } from './admission.ts'
import type { SelectedField } from './demands.ts'
import { maskErrors, type Result, toFailedResult, toRefusedResult } from './errors.ts'
import { createContext } from './execution/fields.ts'
import { Operation } from './execution/operation.ts'
import { RequestReading } from './execution/reading.ts'
import type { ExecutionInput, SubscriptionStart } from './input.ts'
import { type Run, validate } from './mercurius.ts'

/** An executed request. */
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
 * Executes a request; once more on a thread if one of its statements would block the event loop, and on the database itself
 * if its replica fails.
 */
export async function executeRequest(graphql: MercuriusPlugin, input: ExecutionInput): Promise<Executed> {
  try {
    return await executeOnce(graphql, input)
  } catch (error) {
    if (error instanceof NeedsThread) return executeRequest(graphql, { ...input, isLong: true })
    if (error instanceof ReplicaFailed) return executeRequest(graphql, { ...input, version: undefined })
    throw error
  }
}

class ReplicaFailed extends Error {}

/** Executes a request. Rejects with NeedsThread or ReplicaFailed, or with an error that is not the caller's. */
async function executeOnce(graphql: MercuriusPlugin, input: ExecutionInput): Promise<Executed> {
  const operation = new Operation(input)
  let isAdmitted = false
  try {
    await input.place
    const { document, run } = await operation.race(validate(graphql, input.request))
    const admitted = await operation.race(admit(graphql.schema, document, operation))
    isAdmitted = true
    return await operation.race(executeAdmitted(run, admitted, operation))
  } catch (error) {
    if (error instanceof NeedsThread || error instanceof ReplicaFailed) {
      operation.discard()
      throw error
    }
    const result = isAdmitted ? toFailedResult(error) : toRefusedResult(error)
    const body = [Buffer.from(JSON.stringify(result))]
    return { result, body, failure: isAdmitted ? (error as GraphQLError) : undefined }
  } finally {
    operation.close()
  }
}

/** Reads what an admitted operation selects, and serializes it. */
async function executeAdmitted(run: Run, admitted: Admitted, operation: Operation): Promise<Executed> {
  const snapshot = await openFor(admitted.fields, operation)
  const read = new RequestReading(operation, snapshot)
  // If the operation has ended meanwhile, so does its snapshot, at once.
  const { data, errors } = await operation
    .race(run(createContext(read), admitted.variables))
    .finally(() => void snapshot?.end())
  // The field of a subscription has no value when it begins.
  const { subscription } = read
  if (subscription) return { result: {}, body: [Buffer.from('{}')], subscription }
  if (errors?.some(({ originalError }) => snapshot?.replica?.noteFailure(originalError)))
    throw new ReplicaFailed()
  const result = errors ? maskErrors({ data, errors }, admitted.type, operation.input.report) : { data }
  const body = await read.serialize(result)
  const isQuery = admitted.type === OperationTypeNode.QUERY
  return { result, body, isCacheable: isQuery && !errors && read.isCacheable, isSecret: read.isSecret }
}

/** Opens a snapshot if a field lists templates. */
async function openFor(fields: SelectedField[], operation: Operation): Promise<Snapshot | undefined> {
  if (!fields.some(({ demands }) => demands.listsTemplates)) return undefined
  const { input, signal } = operation
  const { isLong = false, version } = input
  if (isLong) await (await input.place).enterLong(signal)
  // A snapshot is read-only.
  for (const { demands } of fields) await demands.prepare?.(operation.store)
  signal.throwIfAborted()
  const needed = input.caller.rule?.needsIndex === true || fields.some(needsIndex)
  return openSnapshot(input.db, { version, signal, isLong, needsIndex: needed })
}

const needsIndex = ({ demands, given }: SelectedField): boolean =>
  demands.needsIndex === true ||
  whereNeedsIndex(given.where as FilterInput | null) ||
  (given.orderBy != null && orderNeedsIndex(given.orderBy as TemplateOrder))
