import type { Db } from '../db/schema.ts'
import type { Operation } from './operation.ts'

/** The context of the resolvers. */
export interface Context {
  db: Db
  operation: Operation
  /** Whether the selection is written as JSON instead of executed. */
  written?: boolean
}
