import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { isUnavailable } from '../db/dialects/faults.ts'

/** A response as GraphQL §7.1 has it: no `data` where nothing was executed. */
export interface Result {
  data?: unknown
  errors?: GraphQLFormattedError[]
}

/** What the caller may not see, with what the log needs to find it. */
export type ReportInternal = (error: unknown) => void

/** The executed result with the texts of unexpected errors masked. Throws what kept the database from answering. */
export function executed(
  result: { data?: unknown; errors?: readonly GraphQLError[] },
  report: ReportInternal
): Result {
  if (!result.errors) return { data: result.data }
  const unavailable = result.errors.find(({ originalError }) => isUnavailable(originalError))
  if (unavailable) throw unavailable.originalError
  return { errors: result.errors.map(error => mask(error, report)), data: result.data ?? null }
}

/** A document that was refused before anything ran: too large, a syntax error, invalid, bad variables. */
export function refused(errors: readonly GraphQLError[]): Result {
  return { errors: errors.map(error => withCode(error, 'GRAPHQL_VALIDATION_FAILED')) }
}

/** Errors of a refused document, as Mercurius throws them; undefined for any other error. */
export function refusalErrors(thrown: unknown): readonly GraphQLError[] | undefined {
  const { code, errors } = thrown as { code?: string; errors?: unknown[] }
  if (code !== 'MER_ERR_GQL_VALIDATION' || !errors) return undefined
  return errors.map(error => (error instanceof GraphQLError ? error : new GraphQLError(String(error))))
}

function mask(error: GraphQLError, report: ReportInternal): GraphQLFormattedError {
  const { originalError } = error
  if (!originalError || originalError instanceof GraphQLError) return error.toJSON()
  report(originalError)
  const { message: _message, ...place } = error.toJSON()
  return { ...place, message: 'internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }
}

function withCode(error: GraphQLError, code: string): GraphQLFormattedError {
  return { ...error.toJSON(), extensions: { code, ...error.extensions } }
}
