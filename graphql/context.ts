import type { Db } from '../db/schema.ts'
import type { DocumentBudget } from './document-budget.ts'

/** What a resolver may use: the store, who asks with which scopes, and how much may be read. */
export interface Context {
  db: Db
  scopes: ReadonlySet<string>
  budget: DocumentBudget
}
