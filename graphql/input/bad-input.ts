import { type ASTNode, GraphQLError } from 'graphql'
import { ArgumentError } from '../../errors.ts'

/** An error with the code BAD_USER_INPUT, which Apollo's clients know. */
export const badInput = (message: string, nodes: readonly ASTNode[] | null = null) =>
  new GraphQLError(message, { nodes, extensions: { code: 'BAD_USER_INPUT' } })

/** A wrong argument of a function in `db/` is the caller's; other errors stay as they are. */
export const toBadInput = (error: unknown): unknown =>
  error instanceof ArgumentError ? badInput(error.message) : error
