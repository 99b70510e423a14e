import type { Db } from '../db/schema.ts'
import type { DocumentBudget } from './document-budget.ts'

/** The context of an operation: the database, the scopes of the token, and the budget for documents. */
export interface Context {
  db: Db
  scopes: ReadonlySet<string>
  budget: DocumentBudget
}
