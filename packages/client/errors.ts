/** The base of all errors that the client throws. An aborted request rejects with the reason of its signal instead. */
export class ClientError extends Error {
  override name = 'ClientError'
}

/** The connection failed; `cause` has the reason. The service may have received the request. */
export class NetworkError extends ClientError {
  override name = 'NetworkError'
}

/** No response in time. The service may have received the request. */
export class TimeoutError extends ClientError {
  override name = 'TimeoutError'
}

/** There are no valid tokens, so the user must log in. `cause` is the error of the service. */
export class LoginRequiredError extends ClientError {
  override name = 'LoginRequiredError'
}

/** A response without a result, such as the 503 of a proxy. */
export class ResponseError extends ClientError {
  override name = 'ResponseError'
  readonly status: number
  /** The milliseconds that `Retry-After` asks to wait (RFC 9110 §10.2.3). */
  readonly retryAfter: number | undefined

  constructor(message: string, { status, retryAfter }: { status: number; retryAfter?: number | undefined }) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** An error of an OAuth endpoint or in a redirect (RFC 6749 §4.1.2.1 and §5.2). */
export class OAuthError extends ResponseError {
  override name = 'OAuthError'
  /** Such as `invalid_grant`. */
  readonly code: string

  constructor(
    code: string,
    description: unknown,
    response: { status: number; retryAfter?: number | undefined }
  ) {
    super(description ? `${code}: ${description}` : code, response)
    this.code = code
  }
}

/** An entry of `errors` (GraphQL §7.1.2). */
export interface GraphQLErrorEntry {
  message: string
  path?: (string | number)[]
  locations?: { line: number; column: number }[]
  extensions?: { code?: string; [name: string]: unknown }
}

/** A GraphQL response with errors. */
export class GraphQLResponseError extends ResponseError {
  override name = 'GraphQLResponseError'
  readonly errors: readonly GraphQLErrorEntry[]
  /** The partial result, if the operation was executed. */
  readonly data: unknown

  constructor(
    { errors, data }: { errors: readonly GraphQLErrorEntry[]; data?: unknown },
    response: { status: number; retryAfter?: number | undefined }
  ) {
    super(errors.map(({ message }) => message).join('; '), response)
    this.errors = errors
    this.data = data
  }

  /** The codes of the errors, such as `BAD_USER_INPUT`. */
  get codes(): string[] {
    return this.errors.map(({ extensions }) => extensions?.code ?? '')
  }
}

/** Whether a later attempt may succeed. */
export const isTemporary = (error: unknown): boolean => isRefusal(error) || isAmbiguous(error)

/** Whether the service refused the request without executing it. */
export const isRefusal = (error: unknown): boolean => error instanceof ResponseError && error.status === 429

/** Whether the service may have executed the request. */
const isAmbiguous = (error: unknown): boolean =>
  error instanceof NetworkError ||
  error instanceof TimeoutError ||
  (error instanceof ResponseError && [502, 503, 504].includes(error.status))
