/** An operation as plain data, on its way to a worker thread and back. */
import type { ExecutedOperation } from '../execute.ts'
import type { Caller, Cost, GraphqlRequestParameters } from '../operation/input.ts'
import type { Failure } from './failure.ts'

export interface ThreadTask {
  parameters: GraphqlRequestParameters & { query: string }
  /** `rule` is the JSON of its `where`. */
  caller: Omit<Caller, 'rule'> & { rule: string | undefined }
  templatesVersion: string
  /** The address of the service. */
  issuer: string
  /** Bytes. */
  maxResultSize: number
  /** The time that is left for the operation. */
  milliseconds: number
}

export interface ThreadAnswer {
  /** Its result has null for any data: `body` has them. */
  executed: ExecutedOperation
  cost: Cost
  /** Errors that were masked: the caller got only the id. */
  maskedErrors: { failure: Failure; errorId: string }[]
}
