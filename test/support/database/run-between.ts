import type { Db } from '../../../db/schema.ts'

/** Wraps a database: runs `happens` once, between the first result from a table and its reader. */
export function runBetween(db: Db, table: string, happens: () => Promise<unknown>): Db {
  const about = new WeakSet<object>()
  let done = false
  return db.withPlugin({
    transformQuery({ node, queryId }) {
      if (JSON.stringify(node).includes(`"${table}"`)) about.add(queryId)
      return node
    },
    async transformResult({ queryId, result }) {
      if (about.has(queryId) && !done) {
        done = true
        await happens()
      }
      return result
    }
  })
}
