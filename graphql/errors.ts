/** The errors that resolvers throw, and the results of operations with errors: what the caller reads, what the log gets. */
import { randomUUID } from 'node:crypto'
import { type ASTNode, GraphQLError, type GraphQLErrorOptions, type GraphQLFormattedError } from 'graphql'
import { isUnavailable } from '../db/dialects/faults.ts'
import type { NotAllowed } from '../db/templates/writing/rights.ts'
import { PublicError } from '../runtime/errors.ts'
import { ArgumentError } from '../runtime/host-errors.ts'
import type { Result } from './result.ts'

/** An error with a code, and with further `extensions` for programs. */
export const makeError = (message: string, code: string, more: object = {}) =>
  new GraphQLError(message, { extensions: { code, ...more } })

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof GraphQLError && error.extensions.code === code

/** An error with the code BAD_USER_INPUT, which Apollo's clients know. */
export const badInput = (message: string, nodes: readonly ASTNode[] | null = null) =>
  new GraphQLError(message, { nodes, extensions: { code: 'BAD_USER_INPUT' } })

/** Values of `extensions.reason`, for programs. The explorer has its own text for each. */
export type ErrorReason = 'MISSING_SCOPE' | 'NOTHING_WRITTEN' | NotAllowed['reason']

/** The addition to the timeout error of a bulk write that has ended before it was ready to commit. */
export const nothingWritten = {
  advice: '; nothing of this change was written. Change fewer templates at once, or raise GRAPHQL_TIMEOUT',
  reason: 'NOTHING_WRITTEN'
} as const

export const resultTooLarge = (max: number) =>
  makeError(`the result exceeds ${max} bytes; request less`, 'RESULT_TOO_LARGE')

/** The error of a mutation that is done, but whose result the caller cannot get: nobody should send it again. */
export const doneWithoutResult = (why: string) =>
  makeError(`the operation is done, but ${why}`, 'RESULT_TOO_LARGE')

export const forbidden = (reason: ErrorReason, message: string, options: GraphQLErrorOptions = {}) =>
  new GraphQLError(message, { ...options, extensions: { code: 'FORBIDDEN', reason } })

export const missingScope = (scope: string, options?: GraphQLErrorOptions) =>
  forbidden('MISSING_SCOPE', `the access token does not have the scope ${scope}`, options)

/** The token lacks the scopes of some fields, so none of them runs. The response is as if each of them had failed. */
export class MissingScopes extends AggregateError {
  readonly data: object | null

  constructor(errors: GraphQLError[], data: object | null) {
    super(errors)
    this.data = data
  }
}

/** Logs an error that was masked for the caller, with the id that the caller gets. */
export type Report = (error: unknown, errorId: string) => void

/**
 * Makes the result of an executed operation with errors, and masks unexpected ones. Throws if the service or the
 * database was unavailable, except if a field of a mutation has written something: a caller who tries again would
 * repeat it.
 */
export function maskErrors(
  { data, errors }: { data?: object | null | undefined; errors: readonly GraphQLError[] },
  mayHaveWritten: boolean,
  report: Report
): Result {
  const unavailable = errors.find(
    ({ originalError }) => originalError instanceof PublicError || isUnavailable(originalError)
  )
  if (unavailable && !mayHaveWritten) throw unavailable.originalError
  return { errors: errors.map(error => formatFieldError(error, report)), data: data ?? null }
}

function formatFieldError(error: GraphQLError, report: Report): GraphQLFormattedError {
  // Functions in `db/` throw this for a wrong argument of the caller.
  if (error.originalError instanceof ArgumentError)
    return { ...error.toJSON(), extensions: badInput(error.message).extensions }
  if (isCallerError(error.originalError ?? error)) return error.toJSON()
  const id = randomUUID()
  // graphql-jit has errors without an original one.
  report(error.originalError ?? error, id)
  const { message: _message, ...location } = error.toJSON()
  return { ...location, message: 'internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR', id } }
}

/**
 * The caller's errors have one of our codes. Errors of graphql-js, which quote values, were found before the execution.
 */
const isCallerError = (error: Error): boolean =>
  error instanceof GraphQLError && error.extensions.code !== undefined

/**
 * Makes the response to a document that Mercurius or our limits have refused before execution. Throws any other error.
 */
export function toRefusedResult(thrown: unknown): Result {
  const { code, errors } = thrown as { code?: string; errors?: unknown[] }
  const isList = thrown instanceof AggregateError || code === 'MER_ERR_GQL_VALIDATION'
  const all = isList && errors ? errors : [thrown]
  const refusals = all.map(explainRefusal)
  if (!refusals.every(error => error instanceof GraphQLError)) throw thrown
  const data = thrown instanceof MissingScopes ? { data: thrown.data } : {}
  return { errors: refusals.map(formatRefusal), ...data }
}

/** Tells what to change, where the error of graphql-js or the runtime does not. */
function explainRefusal(error: unknown): unknown {
  if (isStackOverflow(error)) return new GraphQLError('the query is nested too deeply')
  return isAborted(error)
    ? new GraphQLError('the query has too many fragments or repeated fields: select each field once')
    : error
}

/** graphql-js bounds the comparisons of fields that have the same name in the response. */
const isAborted = (error: unknown): boolean =>
  error instanceof GraphQLError && error.message === 'Validation aborted.'

/** Parsing and validation are recursive, and the highest limits allow very deep documents. */
const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes('call stack')

/** Adds the codes of Apollo Server, which clients know, to an error before execution. */
function formatRefusal(error: GraphQLError): GraphQLFormattedError {
  const { message, ...location } = error.toJSON()
  const code = message.startsWith('Syntax Error:') ? 'GRAPHQL_PARSE_FAILED' : 'GRAPHQL_VALIDATION_FAILED'
  return {
    message,
    ...location,
    extensions: { code, ...error.extensions }
  }
}

/** Makes the result of an operation that failed as a whole. Throws any error that is not the caller's. */
export function toFailedResult(error: unknown): Result {
  if (!(error instanceof GraphQLError)) throw error
  return { errors: [error.toJSON()], data: null }
}

/** Whether `operationName` did not select an operation of the document. */
export const isUnresolved = ({ errors }: Pick<Result, 'errors'>): boolean =>
  errors?.some(({ extensions }) => extensions?.code === 'OPERATION_RESOLUTION_FAILURE') ?? false
