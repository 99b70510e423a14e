import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { engineOf } from '../../db/dialects/engine.ts'
import type { AnyDb, Db, ProductTemplateTable, Transaction } from '../../db/schema.ts'
import type { TableFacts, Tables } from '../../db/tables.ts'
import { insertRows } from '../../db/templates/writing/apply.ts'
import { transact, transactReadOnly } from '../../db/transaction.ts'
import { CommandError } from '../../terminal/command.ts'

type Row = Record<string, unknown>

/** Called with the number of rows copied so far and in total. */
type CopyProgress = (copied: number, total: number) => void

/**
 * Copies a snapshot of the rows of all tables, except local ones, to another database in one transaction. Returns the
 * number of rows. Rejects with CommandError if the other database has rows.
 */
export async function copyDatabase(
  from: Db,
  to: Db,
  tables: Tables,
  progress: CopyProgress
): Promise<number> {
  const wanted = Object.entries(tables).filter(([, { isLocal }]) => !isLocal)
  const copied = await transactReadOnly(from, source =>
    transact(to, async target => {
      for (const [table] of wanted)
        if ((await count(target, table)) > 0)
          throw new CommandError(`the target database is not empty (${table}); nothing was changed`)
      return copyTables(source, target, wanted, progress)
    })
  )
  await engineOf(to).analyze(to)
  return copied
}

async function copyTables(
  source: Transaction,
  target: Transaction,
  tables: [table: string, facts: TableFacts][],
  progress: CopyProgress
): Promise<number> {
  let total = 0
  for (const [table] of tables) total += await count(source, table)
  let copied = 0
  for (const [table, facts] of tables) {
    for await (const rows of batches(source, table, facts)) {
      if (table === 'product_template') await insertRows(target, rows as unknown as ProductTemplateTable[])
      else await (target as AnyDb).insertInto(table).values(rows.map(removeSequence)).execute()
      copied += rows.length
      progress(copied, total)
      // The SQLite driver is synchronous: without a pause, neither progress nor signals are handled.
      await setImmediate()
    }
  }
  return copied
}

/** Removes the sequence number: the target numbers its own rows, in the same order. */
const removeSequence = ({ sequence: _, ...row }: Row): Row => row

/** Rows of a batch. SQLite allows 32,766 parameters in the statement that inserts them. */
const maxRows = 500
/** Bytes in the long column of a batch, which takes several times as much memory. A single row may have more. */
const maxBytes = 2 ** 22

/** Reads a table in batches, in the order of its key. */
async function* batches(db: AnyDb, table: string, { key, longColumn }: TableFacts): AsyncGenerator<Row[]> {
  const columns = sql.join(key.map(column => sql.ref(column)))
  let last: Row | undefined
  const select = (limit: number) => {
    let query = db.selectFrom(table).limit(limit)
    for (const column of key) query = query.orderBy(column)
    const after = last
    return after
      ? query.where(sql<boolean>`(${columns}) > (${sql.join(key.map(name => after[name]))})`)
      : query
  }
  for (let isComplete = false; !isComplete; ) {
    // The engines know the length of a value without reading it.
    const bytes = longColumn && sql<number>`coalesce(octet_length(${sql.ref(longColumn)}), 0)`.as('bytes')
    const sizes = bytes ? await select(maxRows).select(bytes).execute() : undefined
    const counts = sizes ? [...splitByBytes(sizes.map(row => Number(row.bytes)))] : [maxRows]
    let found = 0
    for (const limit of counts) {
      const rows = await select(limit).selectAll().execute()
      if (rows.length > 0) yield rows
      last = rows.at(-1)
      found += rows.length
    }
    isComplete = found < maxRows
  }
}

/** Splits rows of these sizes into batches, and yields the number of rows of each. */
function* splitByBytes(sizes: number[]): Generator<number> {
  let rows = 0
  let total = 0
  for (const size of sizes) {
    if (rows > 0 && total + size > maxBytes) {
      yield rows
      rows = 0
      total = 0
    }
    rows++
    total += size
  }
  if (rows > 0) yield rows
}

async function count(db: AnyDb, table: string): Promise<number> {
  const { rows } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return rows
}
