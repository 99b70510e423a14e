/** An error as plain data. Otherwise, another thread would get only its message and its stack. */
import { NotReady } from '../../db/dialects/faults.ts'
import { PublicError } from '../../runtime/errors.ts'

export interface Failure {
  name: string
  message: string
  stack: string | undefined
  /** The fields by which a database describes a fault. */
  fields: { code?: string; routine?: string; severity?: string }
  /** The fields of a {@link PublicError}. */
  public?: Pick<PublicError, 'code' | 'statusCode' | 'detail' | 'metricReason' | 'retryAfter'>
  cause?: Failure
}

/** Converts anything thrown to plain data. */
export function toFailure(thrown: unknown): Failure {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const { name, message, stack, cause } = error
  const { code, routine, severity } = error as Failure['fields']
  const fields = { ...(code && { code }), ...(routine && { routine }), ...(severity && { severity }) }
  return {
    name,
    message,
    stack,
    fields,
    ...(error instanceof PublicError && { public: { ...error } }),
    ...(cause instanceof Error && { cause: toFailure(cause) })
  }
}

/** Makes the error again, with the class and the code that `plugins/error-handler.ts` and `faults.ts` look for. */
export function fromFailure({ name, message, stack, fields, cause, ...failure }: Failure): Error {
  const options = cause && { cause: fromFailure(cause) }
  if (failure.public) return withStack(new PublicError({ message, ...failure.public, ...options }), stack)
  const isNotReady = fields.code === 'PTS_NOT_READY'
  const error = isNotReady ? new NotReady(message, options) : new Error(message, options)
  return withStack(Object.assign(error, fields, { name }), stack)
}

const withStack = (error: Error, stack: string | undefined): Error => Object.assign(error, { stack })
