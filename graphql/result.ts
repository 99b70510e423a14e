import { randomUUID } from 'node:crypto'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { isUnavailable } from '../db/dialects/faults.ts'

/** A response as GraphQL §7.1 has it: no `data` where nothing was executed. */
export interface Result {
  data?: unknown
  errors?: GraphQLFormattedError[]
}

/** What the caller may not see goes to the log, with the id the caller got. */
export type ReportInternal = (error: unknown, errorId: string) => void

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
  return { errors: errors.map(refusal) }
}

/** Errors of a refused document, as Mercurius and our limits throw them; undefined for any other error. */
export function refusalErrors(thrown: unknown): readonly GraphQLError[] | undefined {
  const { code, errors } = thrown as { code?: string; errors?: unknown[] }
  const all = code === 'MER_ERR_GQL_VALIDATION' && errors ? errors : [thrown]
  const known = all.map(error => (isStackOverflow(error) ? new GraphQLError(tooDeep) : error))
  return known.every(error => error instanceof GraphQLError) ? known : undefined
}

const tooDeep = 'the query is nested too deeply'

/** Reading a document is recursive, and the highest settings leave much room. */
const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes('call stack')

/** What stands for a result of more bytes than the limit. */
export const tooLarge = (limit: number): Result => ({
  errors: [
    {
      message: `the result has more than ${limit} bytes: ask for less`,
      extensions: { code: 'RESULT_TOO_LARGE' }
    }
  ],
  data: null
})

/** Whether it was not to be told which operation of the document was meant. */
export const isUnresolved = ({ errors }: Result): boolean =>
  errors?.some(({ extensions }) => extensions?.code === 'OPERATION_RESOLUTION_FAILURE') ?? false

/** The names of Apollo Server, which clients know. The messages are those of graphql 16. */
const codes: [RegExp, code: string][] = [
  [/^Syntax Error:/, 'GRAPHQL_PARSE_FAILED'],
  [/^(Must provide (an )?operation|Unknown operation named)/, 'OPERATION_RESOLUTION_FAILURE'],
  [/^Variable "\$\w+" (got invalid value|of required type|of non-null type)/, 'BAD_USER_INPUT']
]

function refusal(error: GraphQLError): GraphQLFormattedError {
  const { message, ...place } = error.toJSON()
  const [, code = 'GRAPHQL_VALIDATION_FAILED'] = codes.find(([pattern]) => pattern.test(message)) ?? []
  return {
    // Only validation can be told to make no suggestions; the check of variables makes them always.
    message: message.replace(/ Did you mean .*$/s, ''),
    ...place,
    extensions: { code, ...error.extensions }
  }
}

function mask(error: GraphQLError, report: ReportInternal): GraphQLFormattedError {
  if (isOfCaller(error.originalError ?? error)) return error.toJSON()
  const id = randomUUID()
  report(error.originalError, id)
  const { message: _message, ...place } = error.toJSON()
  return { ...place, message: 'internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR', id } }
}

/** An error about a place of the document, or with a code of ours; a value that fits no type has neither. */
function isOfCaller(error: Error): boolean {
  return error instanceof GraphQLError && (error.nodes !== undefined || error.extensions.code !== undefined)
}
