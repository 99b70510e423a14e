import { type ASTNode, GraphQLError } from 'graphql'

/** An error with the code BAD_USER_INPUT, which Apollo's clients know. */
export const badInput = (message: string, nodes: readonly ASTNode[] | null = null) =>
  new GraphQLError(message, { nodes, extensions: { code: 'BAD_USER_INPUT' } })

export const forbidden = (message: string) => new GraphQLError(message, { extensions: { code: 'FORBIDDEN' } })
