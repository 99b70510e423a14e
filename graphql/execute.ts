import type { ExecutionResult, GraphQLError } from 'graphql'
import type { MercuriusPlugin } from 'mercurius'
import type { FilterInput } from '../db/templates/filter/input.ts'
import { needsThread } from '../db/templates/meter.ts'
import { openSnapshot, type TemplateSnapshot } from '../db/templates/read/snapshot.ts'
import { type Admitted, admit } from './admission.ts'
import type { SelectedField } from './demands.ts'
import { maskErrors, type Result, toFailedResult, toRefusedResult } from './errors.ts'
import { createContext } from './execution/fields.ts'
import { Operation } from './execution/operation.ts'
import { Reading } from './execution/reading.ts'
import type { ExecutionInput, SubscriptionStart } from './input.ts'
import { execute } from './mercurius.ts'

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

/** Executes a request; if its replica fails, once more on the database itself. */
export async function executeRequest(graphql: MercuriusPlugin, input: ExecutionInput): Promise<Executed> {
  try {
    return await executeOnce(graphql, input)
  } catch (error) {
    if (!(error instanceof ReplicaFailed)) throw error
    return executeOnce(graphql, { ...input, version: undefined })
  }
}

/** An operation that has begun: what it may do, and what its resolvers read. */
interface Begun {
  admitted?: Admitted
  /** The snapshot of an operation that lists templates, for all its fields. */
  snapshot?: Promise<TemplateSnapshot>
  read?: Reading
}

class ReplicaFailed extends Error {}

/** Takes the steps of an execution. Rejects with ReplicaFailed, or with an error that is not the caller's. */
async function executeOnce(graphql: MercuriusPlugin, input: ExecutionInput): Promise<Executed> {
  const operation = new Operation(input)
  const begun: Begun = {}
  try {
    await input.started
    const executing = execute(graphql, input.request, async document => {
      begun.admitted = await admit(graphql.schema, document, operation)
      const { listsTemplates, isCacheable, variables } = begun.admitted
      if (listsTemplates) begun.snapshot = openFor(begun.admitted, operation)
      begun.read = new Reading(operation, await begun.snapshot, isCacheable)
      return { ...createContext(begun.read), variables }
    })
    const { data, errors } = await operation.race(executing).finally(() => endSnapshot(begun))
    const { admitted, read } = begun as Required<Begun>
    const { subscription } = read
    // The field of a subscription has no value when it begins.
    if (subscription) return { result: {}, body: [Buffer.from('{}')], subscription }
    await checkReplica(begun, errors)
    const result = errors ? maskErrors({ data, errors }, admitted.type, input.report) : { data }
    const body = await read.serialize(result)
    return { result, body, isCacheable: read.isCacheable && !errors, isSecret: admitted.isSecret }
  } catch (error) {
    if (error instanceof ReplicaFailed) {
      operation.discard()
      throw error
    }
    const { admitted } = begun
    const result = admitted ? toFailedResult(error) : toRefusedResult(error)
    const body = [Buffer.from(JSON.stringify(result))]
    return { result, body, failure: admitted && (error as GraphQLError) }
  } finally {
    operation.close()
  }
}

/** Throws ReplicaFailed if an error comes from the replica. */
async function checkReplica({ snapshot }: Begun, errors: ExecutionResult['errors'] = []): Promise<void> {
  if (errors.length === 0) return
  const { replica } = (await snapshot) ?? {}
  if (errors.some(({ originalError }) => replica?.noteFailure(originalError))) throw new ReplicaFailed()
}

/** Ends the snapshot, which may open after the operation has ended. */
function endSnapshot({ snapshot }: Begun): void {
  snapshot?.then(
    opened => opened.end(),
    () => {}
  )
}

/** Opens the snapshot of an operation that lists templates: on a thread if a statement would block the event loop. */
async function openFor({ fields, needsIndex, prepare }: Admitted, operation: Operation) {
  const { input, signal } = operation
  const isLong = await needsThread(input.db, () => estimateCostliest(fields, operation))
  // Planning may have exceeded the cost limit. An operation that has ended would keep its place among the long ones.
  signal.throwIfAborted()
  if (isLong) await input.startLong()
  // A snapshot is read-only.
  for (const write of prepare) await write(input.store)
  // An operation that has ended would never end its snapshot.
  signal.throwIfAborted()
  return openSnapshot(input.db, {
    version: input.version,
    signal,
    isLong,
    needsIndex: needsIndex || input.caller.rule?.needsIndex === true
  })
}

/** Estimates the cost of the costliest statement of fields before they run. */
async function estimateCostliest(fields: SelectedField[], operation: Operation): Promise<number> {
  const { db } = operation
  const estimate = async (field: SelectedField) =>
    field.demands.costliest?.(field, await operation.plan(db, field.given.where as FilterInput | null), db) ??
    0
  let most = 0
  // The field will report the same error, with its place.
  for (const field of fields) most = Math.max(most, await estimate(field).catch(() => 0))
  return most
}
