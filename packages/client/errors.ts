/** Every error that the client throws by itself. A request that was aborted rejects with the reason of its signal. */
export class ClientError extends Error {
  override name = 'ClientError'
}

/** The connection could not be made, or broke; `cause` says more. The service may have received the request. */
export class NetworkError extends ClientError {
  override name = 'NetworkError'
}

/** There was no response in time. The service may have received the request. */
export class TimeoutError extends ClientError {
  override name = 'TimeoutError'
}

/** There are no tokens, or no longer: somebody has to log in. `cause` is the refusal of the service. */
export class LoginRequiredError extends ClientError {
  override name = 'LoginRequiredError'
}

/** A response that is no result, such as the 503 of a proxy. */
export class ResponseError extends ClientError {
  override name = 'ResponseError'
  readonly status: number
  /** Milliseconds that the service asked to wait, RFC 9110 §10.2.3. */
  readonly retryAfter: number | undefined

  constructor(message: string, { status, retryAfter }: { status: number; retryAfter?: number | undefined }) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** An error of the OAuth endpoints, or in a redirect, RFC 6749 §4.1.2.1 and §5.2. */
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

/** An entry of `errors`, GraphQL §7.1.2. */
export interface GraphQLErrorEntry {
  message: string
  path?: (string | number)[]
  locations?: { line: number; column: number }[]
  extensions?: { code?: string; [name: string]: unknown }
}

/** A response of the GraphQL endpoint with errors. */
export class GraphQLResponseError extends ResponseError {
  override name = 'GraphQLResponseError'
  readonly errors: readonly GraphQLErrorEntry[]
  /** The rest of the result, if the operation was executed. */
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

/** Whether the same request may succeed later. */
export const isTemporary = (error: unknown): boolean => isRefusal(error) || isAmbiguous(error)

/** The service refused before it did anything. */
export const isRefusal = (error: unknown): boolean => error instanceof ResponseError && error.status === 429

/** The service may have done what was asked. */
const isAmbiguous = (error: unknown): boolean =>
  error instanceof NetworkError ||
  error instanceof TimeoutError ||
  (error instanceof ResponseError && [502, 503, 504].includes(error.status))
