import { randomUUID } from 'node:crypto'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { isUnavailable } from '../../db/dialects/faults.ts'
import { ArgumentError, PublicError } from '../../errors.ts'
import { badInput } from '../errors.ts'

/** A response, GraphQL §7.1: without `data` if nothing was executed. */
export interface Result {
  data?: unknown
  errors?: GraphQLFormattedError[]
  extensions?: Record<string, unknown>
}

/** Logs an error that was masked for the caller, with the id the caller received. */
export type ReportInternal = (error: unknown, errorId: string) => void

/**
 * Makes the response to an executed operation, unexpected errors masked. Throws if the service or the database was
 * unavailable, except if another field of a mutation has changed something: a caller who tries again would repeat it.
 */
export function toExecutedResult(
  result: { data?: object | null; errors?: readonly GraphQLError[] },
  report: ReportInternal,
  isMutation = false
): Result {
  if (!result.errors) return { data: result.data }
  const unavailable = result.errors.find(
    ({ originalError }) => originalError instanceof PublicError || isUnavailable(originalError)
  )
  const hasChanged = isMutation && Object.values(result.data ?? {}).some(field => field !== null)
  if (unavailable && !hasChanged) throw unavailable.originalError
  return { errors: result.errors.map(error => formatFieldError(error, report)), data: result.data ?? null }
}

/** Makes the response to a document refused before execution: too large, syntax error, invalid, bad variables. */
export function toRefusedResult(errors: readonly GraphQLError[]): Result {
  return { errors: errors.map(formatRefusal) }
}

/** Finds the errors of a refused document in what Mercurius or our limits threw; undefined for any other error. */
export function findRefusalErrors(thrown: unknown): readonly GraphQLError[] | undefined {
  const { code, errors } = thrown as { code?: string; errors?: unknown[] }
  const several = thrown instanceof AggregateError || code === 'MER_ERR_GQL_VALIDATION'
  const all = several && errors ? errors : [thrown]
  const known = all.map(error => (isStackOverflow(error) ? new GraphQLError(tooDeep) : error))
  return known.every(error => error instanceof GraphQLError) ? known : undefined
}

const tooDeep = 'the query is nested too deeply'

/** Parsing and validation are recursive, and the highest limits allow very deep documents. */
const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes('call stack')

/** Makes the response for a result that could not be serialized. Throws any error that is not the caller's. */
export function toFailedResult(error: unknown): Result {
  if (!(error instanceof GraphQLError)) throw error
  return { errors: [error.toJSON()], data: null }
}

/** Whether `operationName` did not select an operation of the document. */
export const isUnresolved = ({ errors }: Result): boolean =>
  errors?.some(({ extensions }) => extensions?.code === 'OPERATION_RESOLUTION_FAILURE') ?? false

/** Adds the codes of Apollo Server, which clients know, to the errors of graphql. */
function formatRefusal(error: GraphQLError): GraphQLFormattedError {
  const { message, ...place } = error.toJSON()
  const code = message.startsWith('Syntax Error:') ? 'GRAPHQL_PARSE_FAILED' : 'GRAPHQL_VALIDATION_FAILED'
  return {
    message,
    ...place,
    extensions: { code, ...error.extensions }
  }
}

function formatFieldError(error: GraphQLError, report: ReportInternal): GraphQLFormattedError {
  // A wrong argument of a function in `db/` is the caller's.
  if (error.originalError instanceof ArgumentError)
    return { ...error.toJSON(), extensions: badInput(error.message).extensions }
  if (isCallerError(error.originalError ?? error)) return error.toJSON()
  const id = randomUUID()
  report(error.originalError, id)
  const { message: _message, ...place } = error.toJSON()
  return { ...place, message: 'internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR', id } }
}

/** The caller's errors have a location in the document or a code of ours. A resolver's wrong value has neither. */
function isCallerError(error: Error): boolean {
  return error instanceof GraphQLError && (error.nodes !== undefined || error.extensions.code !== undefined)
}
