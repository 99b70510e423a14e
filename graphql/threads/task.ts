/** An operation as plain data, on its way to a worker thread and back. */
import type { GraphQLFormattedError } from 'graphql'
import type { Caller, Cost, GraphqlRequestParameters } from '../operation/input.ts'
import type { Body } from '../result.ts'
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
  /** The response as JSON. */
  body: Body
  errors: GraphQLFormattedError[] | undefined
  /** Whether the response has `data`. */
  hasData: boolean
  isCacheable: boolean
  isSecret: boolean
  cost: Cost
  /** Why the operation has no result. */
  failureMessage: string | undefined
  /** Errors that were masked: the caller got only the id. */
  maskedErrors: { failure: Failure; errorId: string }[]
}
