import type { GraphQLError } from 'graphql'
import type { MercuriusPlugin } from 'mercurius'
import { engineOf } from '../db/dialects/engine.ts'
import { openSnapshot } from '../db/templates/read/snapshot.ts'
import { type Admitted, admit } from './admission.ts'
import { maskErrors, type Result, toFailedResult, toRefusedResult } from './errors.ts'
import { createContext } from './execution/fields.ts'
import { executeAgain, Operation } from './execution/operation.ts'
import { Output } from './execution/output.ts'
import { Reading } from './execution/reading.ts'
import type { ExecutionInput, SubscriptionStart } from './input.ts'
import { type Parsed, parseRequest } from './mercurius.ts'

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

/** Executes a request, and once more if it reads for too long for the event loop, or if a replica fails. */
export async function executeRequest(graphql: MercuriusPlugin, input: ExecutionInput): Promise<Executed> {
  try {
    return await executeOnce(graphql, input, false)
  } catch (error) {
    if (error !== executeAgain) throw error
    return executeOnce(graphql, input, true)
  }
}

/** Takes the steps of an execution. Rejects with `executeAgain`, or with an error that is not the caller's. */
async function executeOnce(
  graphql: MercuriusPlugin,
  input: ExecutionInput,
  isSecond: boolean
): Promise<Executed> {
  const operation = new Operation(input, isSecond)
  const output = new Output(operation)
  let admitted: Admitted | undefined
  try {
    await input.started
    const parsed = await parseRequest(graphql, input.request)
    admitted = await operation.race(admit(graphql.schema, parsed.document, operation))
    const { executed, read } = await executeInSnapshot(parsed, admitted, output)
    const { subscription } = read
    // The field of a subscription has no value when it begins.
    if (subscription) return { result: {}, body: [Buffer.from('{}')], subscription }
    const { data, errors } = executed
    const result = errors ? maskErrors({ data, errors }, admitted.type, input.report) : { data }
    const body = await output.serialize(result)
    return { result, body, isCacheable: read.isCacheable && !errors, isSecret: admitted.isSecret }
  } catch (error) {
    if (error === executeAgain) {
      output.discard()
      throw error
    }
    const result = admitted ? toFailedResult(error) : toRefusedResult(error)
    const body = [Buffer.from(JSON.stringify(result))]
    return { result, body, failure: admitted && (error as GraphQLError) }
  } finally {
    operation.close()
  }
}

/** Executes an admitted operation; if it lists templates, in one snapshot for all its fields. */
async function executeInSnapshot({ execute }: Parsed, admitted: Admitted, output: Output) {
  const { operation } = output
  const opening = admitted.listsTemplates ? openFor(admitted, operation) : undefined
  try {
    const snapshot = opening && (await operation.race(opening))
    const read = new Reading(output, snapshot, admitted.isCacheable)
    const executed = await operation.race(execute(createContext(read), admitted.variables))
    if (executed.errors?.some(({ originalError }) => snapshot?.replica?.noteFailure(originalError)))
      throw executeAgain
    return { executed, read }
  } finally {
    // It may open after the operation has ended.
    opening?.then(
      snapshot => snapshot.end(),
      () => {}
    )
  }
}

/** Opens the snapshot of an operation that lists templates. */
async function openFor({ needsIndex, prepare }: Admitted, { input, isSecond, signal }: Operation) {
  // After a failed replica, the operation need not be long.
  const isLong = isSecond && engineOf(input.db).blocksLoop(input.db)
  if (isLong) await input.startLong()
  // A snapshot is read-only.
  for (const write of prepare) await write(input.store)
  // An operation that has ended would never end its snapshot.
  signal.throwIfAborted()
  return openSnapshot(input.db, {
    version: isSecond ? undefined : input.version,
    signal,
    isLong,
    needsIndex: needsIndex || input.caller.rule?.needsIndex === true
  })
}
