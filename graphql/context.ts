import type { Db } from '../db/schema.ts'

/** What a resolver may use: the store, and who asks with which scopes. */
export interface Context {
  db: Db
  scopes: ReadonlySet<string>
}
