import { type Operation, readOperation, type TypedDocument } from './document.ts'
import { GraphQLResponseError, isRefusal, isTemporary, ResponseError } from './errors.ts'
import { type Connection, exchange, type Reply, readJson } from './http.ts'
import { randomText } from './random.ts'
import { withRetry } from './retry.ts'
import type { TokenSource } from './tokens.ts'

/** The options of a request. */
export interface RequestOptions {
  signal?: AbortSignal | undefined
  /** The operation to run if the document has several. */
  operationName?: string
  /** Makes a creation or an import safe to send again, even from another process. Default: a new key. */
  idempotencyKey?: string
}

/** Sends an operation and returns `data`. Retries only if that is safe. */
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
        return exchange(connection, '/graphql', init, signal, readJson)
      })
    )
  return withRetry(attempt, { ...connection, signal, mayRetry: mayRetry(operation) })
}

/** Sends a request with a token. If the service refuses the token, sends it once more with a new one. */
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

/** A refused request was not executed. After any other error, only repeatable operations are retried. */
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
