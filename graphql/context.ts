import type { ValidationOptions } from '../db/templates/validation/validate.ts'
import type { Operation } from './operation.ts'

/** Who sent a request, from its access token. */
export interface Caller {
  /** `sub`. */
  subject: string
  clientId: string
  scopes: ReadonlySet<string>
  /** The header Idempotency-Key; null if absent. */
  idempotencyKey: string | null
}

/** The context of the resolvers. */
export interface Context {
  db: Operation['db']
  store: Operation['store']
  operation: Operation
  caller: Caller
  /** What is checked before a template is stored. */
  rules: ValidationOptions
  /** Maximum number of templates in an import. */
  maxImported: number
  /** Whether the selection is written as JSON instead of executed. */
  written?: boolean
}
