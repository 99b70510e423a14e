import { type ExecutionResult, type GraphQLError, OperationTypeNode } from 'graphql'
import type { MercuriusPlugin } from 'mercurius'
import { isServerFault, type OtherSnapshot, openSnapshot, reopening, type Snapshot } from '../db/snapshot.ts'
import { type FilterInput, whereNeedsIndex } from '../db/templates/filter/filter.ts'
import { orderNeedsIndex, type TemplateOrder } from '../db/templates/read/order.ts'
import { admit } from './admission.ts'
import type { SelectedField } from './demands.ts'
import { maskErrors, type Report, type Result, toFailedResult, toRefusedResult } from './errors.ts'
import { createContext } from './execution/fields.ts'
import { Operation } from './execution/operation.ts'
import { RequestReading } from './execution/reading.ts'
import type { ExecutionInput, SubscriptionStart } from './input.ts'
import { type Begin, executeDocument } from './mercurius.ts'

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

/** Executes a request; again if it needs another snapshot. */
export async function executeRequest(graphql: MercuriusPlugin, input: ExecutionInput): Promise<Executed> {
  const executed = await executeOnce(graphql, input)
  return 'again' in executed ? executeRequest(graphql, { ...input, ...executed.again }) : executed
}

/** What an operation that was admitted is executed with. */
interface Begun {
  type?: OperationTypeNode
  /** Of an operation that lists templates, for all its fields. */
  snapshot?: Snapshot | undefined
  read?: RequestReading
}

/** Resolves with the other snapshot if one is needed. Rejects with an error that is not the caller's. */
async function executeOnce(
  graphql: MercuriusPlugin,
  input: ExecutionInput
): Promise<Executed | { again: OtherSnapshot }> {
  const operation = new Operation(input)
  const begun: Begun = {}
  const begin: Begin = async document => {
    const { type, fields, variables } = await admit(graphql.schema, document, operation)
    // Nobody waits for it any more.
    operation.signal.throwIfAborted()
    begun.type = type
    begun.snapshot = await openFor(fields, operation)
    begun.read = new RequestReading(operation, begun.snapshot)
    return { context: createContext(begun.read), variables }
  }
  try {
    await input.place
    const result = await operation
      .race(executeDocument(graphql, input.request, begin))
      .finally(() => void begun.snapshot?.end())
    return await operation.race(toExecuted(result, begun as Required<Begun>, input.report))
  } catch (error) {
    const again = begun.snapshot && reopening(begun.snapshot, error)
    if (again) {
      operation.discard()
      return { again }
    }
    const result = begun.type ? toFailedResult(error) : toRefusedResult(error)
    const body = [Buffer.from(JSON.stringify(result))]
    return { result, body, failure: begun.type && (error as GraphQLError) }
  } finally {
    operation.close()
  }
}

/** Makes the response of an executed operation. Throws the error of a field if it came from a replica. */
async function toExecuted(
  { data, errors }: ExecutionResult,
  { type, snapshot, read }: Required<Begun>,
  report: Report
): Promise<Executed> {
  const { subscription } = read
  // The field of a subscription has no value when it begins.
  if (subscription) return { result: {}, body: [Buffer.from('{}')], subscription }
  const fault = snapshot?.replica && errors?.find(({ originalError }) => isServerFault(originalError))
  if (fault) throw fault.originalError
  const result = errors ? maskErrors({ data, errors }, type, report) : { data }
  const body = await read.serialize(result)
  const isQuery = type === OperationTypeNode.QUERY
  return { result, body, isCacheable: isQuery && !errors && read.isCacheable, isSecret: read.isSecret }
}

/** Opens a snapshot if a field lists templates. */
async function openFor(fields: SelectedField[], operation: Operation): Promise<Snapshot | undefined> {
  if (!fields.some(({ demands }) => demands.listsTemplates)) return undefined
  const { input, signal } = operation
  const { onThread = false, version } = input
  if (onThread) await (await input.place).enterLong(signal)
  // A snapshot is read-only.
  for (const { demands } of fields) await demands.prepare?.(operation.store)
  signal.throwIfAborted()
  const needed = input.caller.rule?.needsIndex === true || fields.some(needsIndex)
  const snapshot = await openSnapshot(input.db, { version, signal, onThread, needsIndex: needed })
  if (!signal.aborted) return snapshot
  // Nobody else would end it.
  await snapshot.end()
  throw signal.reason
}

const needsIndex = ({ demands, given }: SelectedField): boolean =>
  demands.needsIndex === true ||
  whereNeedsIndex(given.where as FilterInput | null) ||
  (given.orderBy != null && orderNeedsIndex(given.orderBy as TemplateOrder))
