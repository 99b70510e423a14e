/** Writes the short columns of every other template again and again, on a thread with a connection of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import { sql } from 'kysely'
import { formatTimestamp } from '../../domain/timestamp.ts'
import { openDatabase } from '../../features/database.ts'

const { url, ids } = workerData as { url: string; ids: number[] }
const db = await openDatabase(url)
let isOver = false
parentPort?.once('message', () => {
  isOver = true
})
for (let count = 0; !isOver; count++) {
  // A few with each statement: those of a page that was found are changed before it is read.
  const some = ids.filter((_, index) => (index + count) % 3 > 0)
  await sql`update product_template set public_product = 1 - public_product, max_items = 1 + (id + ${count}) % 30,
    blockchain_id = (id + ${count}) % 4, time_modified = ${formatTimestamp(1_767_000_000_000_001 + (count % 10) * 1_000_001)}
    where id in (${sql.join(some)})`.execute(db)
  // For the message, and for the readers.
  await new Promise(resolve => setImmediate(resolve))
}
await db.destroy()
