import { getOperationAST, OperationTypeNode, parse } from 'graphql'
import { createClient } from 'graphql-sse'
import { GraphQLResponseError } from '../../packages/client/index.ts'
import { client, isLoginMissing, service } from '../api.ts'
import { loginEnded } from '../requests.ts'

interface Request {
  query: string
  variables?: Record<string, unknown> | null
  operationName?: string | null
}

/** The client for subscriptions. It gets a current token for each connection. */
const streams = createClient({
  url: new URL('graphql', service).href,
  headers: async () => ({ authorization: `Bearer ${await client.token()}` })
})

/**
 * Sends an operation with the explorer's token. Returns the result with its errors; for a subscription, an iterator of
 * results.
 */
export async function fetcher({ query, variables, operationName }: Request): Promise<never> {
  const operation = findOperation(query, operationName)
  const name = operation ? operation.name?.value : operationName
  const options = name ? { operationName: name } : {}
  if (operation?.operation === OperationTypeNode.SUBSCRIPTION)
    return streams.iterate({ query, variables: variables ?? {}, ...options }) as never
  try {
    return { data: await client.request(query, variables ?? {}, options) } as never
  } catch (error) {
    if (isLoginMissing(error)) loginEnded.value = true
    if (!(error instanceof GraphQLResponseError)) throw error
    const { errors, data } = error
    return { errors, ...(data !== undefined && { data }) } as never
  }
}

/** Finds the operation to run. GraphiQL's operation name lags behind the typed text. */
function findOperation(query: string, name: string | null | undefined) {
  try {
    const document = parse(query)
    return getOperationAST(document, name) ?? getOperationAST(document)
  } catch {
    // The service reports the syntax error.
    return undefined
  }
}
