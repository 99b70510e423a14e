import type { Db } from './schema.ts'

/** Makes a function that creates one object per database, even though each operation has its own Kysely instance. */
export function perDatabase<T extends object>(create: (db: Db) => T): (db: Db) => T {
  const known = new WeakMap<object, T>()
  return db => {
    const { adapter } = db.getExecutor()
    const made = known.get(adapter) ?? create(db)
    known.set(adapter, made)
    return made
  }
}
