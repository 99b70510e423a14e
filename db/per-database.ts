import type { Db } from './schema.ts'

/** Makes a function that returns the same object for all who share a database: each operation has a Kysely of its own. */
export function perDatabase<T extends object>(create: (db: Db) => T): (db: Db) => T {
  const known = new WeakMap<object, T>()
  return db => {
    const { adapter } = db.getExecutor()
    const made = known.get(adapter) ?? create(db)
    known.set(adapter, made)
    return made
  }
}
