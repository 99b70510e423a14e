/**
 * The errors of the endpoints: code, status and public text. `detail` has the reason and is only logged, so an
 * unknown client and a wrong secret look the same to the caller. These are all kinds of errors, by their reader:
 * - caller of an endpoint: `PublicError`. `plugins/error-handler.ts` makes one of anything else that is thrown.
 * - caller of an operation: `graphql/errors.ts`. `maskErrors` there masks the others. Problems of a written
 *   template are no errors: `userErrors` lists them (`domain/validation/problem.ts`).
 * - host: `ArgumentError`, `StoreError`, `StartError` (`host-errors.ts`), `NotAllowed`, `NotReady`, `ImportConflict`.
 *   For a caller, the service makes one of the two kinds above.
 * - user of a command: those of a host, `CommandError` (`terminal/command.ts`), `FormatError` for a file.
 *   `cli/dispatch.ts` prints them.
 */
import type { ErrorCode, Reason } from './error-codes.ts'

interface PublicErrorOptions extends ErrorOptions {
  code: ErrorCode
  statusCode: number
  /** The public text. */
  message: string
  /** For the log only, like `cause`. */
  detail?: string | undefined
  /** For the metrics only; `other` if omitted. */
  metricReason?: Reason | undefined
  /** Seconds for the Retry-After header, RFC 9110 §10.2.3. */
  retryAfter?: number | undefined
}

/** An error with a public `message`. `detail` and `cause` are only logged; `metricReason` is only counted. */
export class PublicError extends Error {
  readonly code: ErrorCode
  readonly statusCode: number
  readonly detail: string | undefined
  readonly metricReason: Reason
  readonly retryAfter: number | undefined

  constructor(options: PublicErrorOptions) {
    super(options.message, options)
    this.name = 'PublicError'
    this.code = options.code
    this.statusCode = options.statusCode
    this.detail = options.detail
    this.metricReason = options.metricReason ?? 'other'
    this.retryAfter = options.retryAfter
  }
}

/** The fields of an error for the log. `reason` is the detail, not the label of the metrics. */
export const toLogFields = ({ code, detail }: PublicError) => ({ code, reason: detail })

const define =
  (code: ErrorCode, statusCode: number, message: string, retryAfter?: number) =>
  (detail?: string, metricReason?: Reason) =>
    new PublicError({ code, statusCode, message, detail, metricReason, retryAfter })

// Token endpoint, RFC 6749 §5.2. The code is the `error` of the response.
/** The client is unknown or disabled, or the secret is wrong. The caller sees the same text. */
export const invalidClient = define(
  'invalid_client',
  401,
  'client authentication failed: the id or the secret is wrong, or the secret was not sent by HTTP Basic'
)
/** The password, the code or the refresh token is not valid. The caller never learns why. */
export const invalidGrant = define('invalid_grant', 400, 'the credentials of the grant are not valid')
export const unauthorizedClient = define('unauthorized_client', 400, 'the client may not use this grant type')
export const unsupportedGrantType = define('unsupported_grant_type', 400, 'the grant type is not supported')
export const invalidScope = define('invalid_scope', 400, 'the scope is malformed, unknown or not allowed')
/** RFC 8707 §2. */
export const invalidTarget = define(
  'invalid_target',
  400,
  'the resource is unknown, or differs from the resource of the grant'
)
/** `message` names the parameter, never its value. */
export const invalidRequest = (message: string, statusCode = 400, detail?: string) =>
  new PublicError({ code: 'invalid_request', statusCode, message, detail })

// Authorization endpoint, RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6. The client gets the code in a redirect:
// `routes/oauth/authorize/index.ts` lists those codes.
export const accessDenied = define('access_denied', 400, 'the user denied access')
export const unsupportedResponseType = define(
  'unsupported_response_type',
  400,
  'the response type must be code'
)
export const loginRequired = define('login_required', 400, 'the user is not logged in')
export const consentRequired = define('consent_required', 400, 'the user has not given consent')
export const requestNotSupported = define(
  'request_not_supported',
  400,
  'the parameter request is not supported'
)
export const requestUriNotSupported = define(
  'request_uri_not_supported',
  400,
  'the parameter request_uri is not supported'
)
/** The form comes from another site, or from an old page of this service. The user sees the same text. */
export const foreignForm = define('forbidden', 403, 'this form has expired; return to the application')

/** A web page of this origin may not use the endpoint. */
export const foreignOrigin = define('forbidden', 403, 'web pages of this origin may not use the endpoint')

// Limits. RFC 6749 has no code for them at the token endpoint, so they use the code of the authorization endpoint,
// §4.1.2.1.
/** RFC 6585 §4. */
export const tooManyRequests = (detail: string, retryAfter: number, reason: Reason) =>
  define('temporarily_unavailable', 429, 'too many requests, try again later', retryAfter)(detail, reason)
/** A limit of the caller's own token. The caller may know which. */
export const tooManyForToken = (message: string, retryAfter: number, reason: Reason) =>
  define('temporarily_unavailable', 429, `${message}, try again later`, retryAfter)(message, reason)
export const overloaded = define('temporarily_unavailable', 503, 'the service is busy, try again later', 1)

// Bearer tokens, RFC 6750 §3.1.
export const missingToken = define('missing_token', 401, 'a bearer token is required')
export const invalidToken = define('invalid_token', 401, 'the access token is not valid')
export const malformedBearer = define('invalid_request', 400, 'the Authorization header is malformed')
export const insufficientScope = define(
  'insufficient_scope',
  403,
  'the access token does not have the required scope'
)

/** Returns a refusal as a value. Other errors, such as those of the database, are thrown again. */
export function returnPublicError(error: unknown): PublicError {
  if (error instanceof PublicError) return error
  throw error
}

/** Resolves to undefined if the token is not valid. Other errors, such as those of the database, still reject. */
export const ignoreInvalidToken = <T>(checked: Promise<T>): Promise<T | undefined> =>
  checked.catch(error => {
    if (error instanceof PublicError && error.code === 'invalid_token') return undefined
    throw error
  })

// HTTP, RFC 9110 §15.
/** `message` names the wrong part of the request, never its value. */
export const badRequest = (message: string) =>
  new PublicError({ code: 'bad_request', statusCode: 400, message })
export const notFound = define('not_found', 404, 'no such endpoint')
export const methodNotAllowed = define('method_not_allowed', 405, 'the method is not allowed')
export const notAcceptable = define('not_acceptable', 406, 'none of the accepted media types is supported')
export const needsEvents = define(
  'not_acceptable',
  406,
  'a subscription needs the header Accept: text/event-stream'
)
/** A temporary failure. The client may retry. */
export const unavailable = (cause: unknown, reason: Reason = 'other') =>
  new PublicError({
    code: 'unavailable',
    statusCode: 503,
    message: 'the service is temporarily unavailable',
    detail: String(cause),
    metricReason: reason,
    retryAfter: 1,
    cause
  })
