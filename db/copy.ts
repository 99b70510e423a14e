import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { TableFacts } from '../features/feature.ts'
import { features } from '../features/load.ts'
import { engineOf } from './dialects/engine.ts'
import type { AnyDb, Database, Db, ProductTemplateTable, Transaction } from './schema.ts'
import { insertRows } from './templates/writing/apply.ts'
import { readInSnapshot, transact } from './transaction.ts'

/** Tables that are not copied: each store has its own contents. */
type OwnTable = 'product_template_index' | 'product_template_pending' | 'product_store' | 'product_version'

/** The primary keys of the tables to copy. A table comes after the tables that it references. */
const primaryKeys: Record<Exclude<keyof Database, OwnTable>, string[]> = {
  product_client: ['id'],
  product_user: ['id'],
  product_user_wallet: ['user_id', 'position'],
  product_password_link: ['hash'],
  // Before the templates: their triggers record only revisions that are missing.
  product_template_past: ['template_id', 'number'],
  product_revision: ['sequence'],
  product_operation: ['sequence'],
  product_template: ['id'],
  product_signing_key: ['id'],
  product_token_family: ['id'],
  product_refresh_token: ['hash'],
  product_authorization_code: ['hash'],
  product_session: ['hash'],
  product_consent: ['user_id', 'client_id'],
  product_revoked_token: ['jti'],
  product_attempt: ['subject'],
  product_idempotency: ['key'],
  product_audit: ['sequence']
}
/** The tables of the core, and then those of the features. */
const tables: [table: string, facts: TableFacts][] = [
  ...Object.entries(primaryKeys).map(([table, key]): [string, TableFacts] => [table, { key }]),
  ...features.flatMap(({ tables = {} }) => Object.entries(tables).filter(([, { isLocal }]) => !isLocal))
]

type Row = Record<string, unknown>

/** Called with the number of rows copied so far and in total. */
type CopyProgress = (copied: number, total: number) => void

/** The target is not empty. The message is the name of a table that has rows. */
export class NotEmpty extends Error {}

/**
 * Copies a snapshot of all rows to another database in one transaction. Returns the number of rows. Rejects with
 * {@link NotEmpty} if the other database has rows.
 */
export async function copyDatabase(from: Db, to: Db, progress: CopyProgress): Promise<number> {
  const copied = await readInSnapshot(from, source =>
    transact(to, async target => {
      for (const [table] of tables) {
        if ((await count(target, table)) > 0) throw new NotEmpty(table)
      }
      return copyTables(source, target, progress)
    })
  )
  await engineOf(to).analyze(to)
  return copied
}

async function copyTables(source: Transaction, target: Transaction, progress: CopyProgress): Promise<number> {
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

/** Reads a table in batches, in the order of its key. */
async function* batches(
  db: AnyDb,
  table: string,
  { key, hasLargeRows = false }: TableFacts
): AsyncGenerator<Row[]> {
  const columns = sql.join(key.map(column => sql.ref(column)))
  // SQLite allows 32,766 parameters.
  const batchSize = hasLargeRows ? 1 : 500
  let rows: Row[] = []
  do {
    const last = rows.at(-1)
    let query = db.selectFrom(table).selectAll().limit(batchSize)
    for (const column of key) query = query.orderBy(column)
    if (last) query = query.where(sql<boolean>`(${columns}) > (${sql.join(key.map(name => last[name]))})`)
    rows = await query.execute()
    yield* splitByLength(rows)
  } while (rows.length === batchSize)
}

/** Maximum characters of a statement with several rows. PostgreSQL refuses messages of more than 1 GiB. */
const maxStatementLength = 2 ** 24

/** Splits rows into parts that each fit into a statement. */
function* splitByLength(rows: Row[]): Generator<Row[]> {
  let part: Row[] = []
  let total = 0
  for (const row of rows) {
    const texts = Object.values(row).filter(value => typeof value === 'string')
    const length = texts.reduce((sum, text) => sum + text.length, 0)
    if (part.length > 0 && total + length > maxStatementLength) {
      yield part
      part = []
      total = 0
    }
    part.push(row)
    total += length
  }
  if (part.length > 0) yield part
}

async function count(db: AnyDb, table: string): Promise<number> {
  const { rows } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return rows
}
