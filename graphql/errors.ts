/** The errors that resolvers throw. */
import { type ASTNode, GraphQLError, type GraphQLErrorOptions } from 'graphql'
import type { NotAllowed } from '../db/templates/writing/rights.ts'

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
