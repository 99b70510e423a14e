/** An operation as plain data, on its way to a worker thread and back. */
import type { GraphQLFormattedError } from 'graphql'
import type { Caller } from '../operation/input.ts'
import type { Body } from '../result.ts'

export interface ThreadTask {
  parameters: { query: string; variables?: Record<string, unknown> | null; operationName?: string | null }
  /** `rule` is its text. */
  caller: Omit<Caller, 'rule'> & { rule: string | undefined }
  /** `Version.templates`. */
  version: string
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
  /** The actual cost. */
  cost: number
  /** Why the operation has no result. */
  failureMessage: string | undefined
  /** Errors that were masked for the caller. */
  reports: ThreadReport[]
}

/** An error that was masked. The caller got `errorId` instead. */
export interface ThreadReport {
  message: string
  stack: string | undefined
  code?: string
  errorId: string
}
