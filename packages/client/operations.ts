import { type Operation, readOperation, type TypedDocument } from './document.ts'
import { GraphQLResponseError, isRefusal, isTemporary, ResponseError } from './errors.ts'
import { type Connection, exchange, type Reply } from './http.ts'
import { randomText } from './random.ts'
import { withRetry } from './retry.ts'
import type { TokenSource } from './tokens.ts'

/** What a single request may say. */
export interface RequestOptions {
  signal?: AbortSignal | undefined
  /** Which operation of the document, if it has several. */
  operationName?: string
  /** For a creation or an import that is sent again later, from another process too; by default a new one. */
  idempotencyKey?: string
}

/** Sends an operation; retries it while that can do no harm. Returns `data`. */
export async function sendOperation(
  connection: Connection,
  tokens: TokenSource,
  document: string | TypedDocument,
  variables: unknown,
  { signal, operationName, idempotencyKey }: RequestOptions = {}
): Promise<unknown> {
  const operation = readOperation(document)
  const body = JSON.stringify({ query: operation.query, variables, operationName })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json',
    ...(operation.isMutation && { 'idempotency-key': idempotencyKey ?? randomText() })
  }
  const attempt = async (signal: AbortSignal) =>
    readData(
      await withToken(tokens, signal, token => {
        const init = { method: 'POST', body, headers: { ...headers, authorization: `Bearer ${token}` } }
        return exchange(connection, '/graphql', init, signal)
      })
    )
  return withRetry(attempt, { ...connection, signal, mayRetry: mayRetry(operation) })
}

/** Sends a request with a token; if the service refuses that, once more with a new one. */
export async function withToken<T extends { status: number }>(
  tokens: TokenSource,
  signal: AbortSignal,
  send: (token: string) => Promise<T>
): Promise<T> {
  const token = await tokens.get(signal)
  const reply = await send(token)
  if (reply.status !== 401) return reply
  tokens.refuse(token)
  const next = await tokens.get(signal)
  return next === token ? reply : send(next)
}

/** A refused request did nothing. Otherwise only what may be repeated is sent again. */
const mayRetry =
  ({ isRepeatable }: Operation) =>
  (error: unknown): boolean =>
    isRefusal(error) || (isRepeatable && isTemporary(error))

function readData(reply: Reply): unknown {
  const { status, body } = reply
  if (Array.isArray(body?.errors)) throw new GraphQLResponseError(body, reply)
  if (status !== 200 || body?.data === undefined)
    throw new ResponseError(`/graphql responded ${status}`, reply)
  return body.data
}
