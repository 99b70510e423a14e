import { type RawBuilder, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, Transaction } from '../../schema.ts'
import { isTransaction } from '../../transaction.ts'
import { maxInt } from '../table/columns.ts'

/** Takes an id for a new template, from the sequence if possible; undefined if no id is free. */
export async function takeId(transaction: Transaction): Promise<number | undefined> {
  const query = engineOf(transaction).takeId?.(id => sql`${id} <= ${sql.lit(maxInt)} and ${isFree(id)}`)
  const taken = query && (await query.execute(prepared(transaction))).rows[0]
  return taken ? taken.id : findFreeId(transaction)
}

/** Finds the highest free id after a used one. Ids of deleted templates are used, because their revisions stay. */
export async function findFreeId(db: Db): Promise<number | undefined> {
  // Without a transaction, which only a dry run of an import has, nobody takes the id.
  if (isTransaction(db)) await engineOf(db).lock(db, 'ids')
  // Each query reads its index from the end up to the first gap.
  const last = (table: string, column: string) => sql`select id from (
    select ${sql.ref(column)} as id from ${sql.table(table)} as used
    where ${sql.ref(column)} < ${maxInt} and ${isFree(sql`used.${sql.ref(column)} + 1`)}
    order by ${sql.ref(column)} desc limit 1) as last`
  const { rows } = await sql<{ id: number | null }>`select max(id) + 1 as id from (
    ${last('product_template', 'id')} union all ${last('product_revision', 'template_id')}
    union all select 0 where ${isFree(sql`1`)}) as found`.execute(prepared(db))
  return rows[0]?.id ?? undefined
}

/** Not `not exists`, for which PostgreSQL may read whole tables. */
const isFree = (id: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  (select 1 from product_template where id = ${id} limit 1) is null
  and (select 1 from product_revision where template_id = ${id} limit 1) is null`
