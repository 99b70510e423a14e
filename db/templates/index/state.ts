import { CompiledQuery } from 'kysely'
import type { Db, TemplateIndexTable } from '../../schema.ts'
import { indexVersion } from './entries.ts'

export interface IndexState extends TemplateIndexTable {
  /** Templates that are pending, counted up to {@link maxPendingCounted}. */
  pending: number
}

const maxPendingCounted = 1001

// Asked with every filter: in plain SQL, because to build it takes longer than to run it.
const question = CompiledQuery.raw(`select version, complete, reached,
  (select count(*) from (select 1 from product_template_pending limit ${maxPendingCounted}) as counted) as pending
  from product_template_index`)

export async function readIndexState(db: Db): Promise<IndexState> {
  const { rows } = await db.executeQuery(question)
  return rows[0] as IndexState
}

/** Whether the tables of the index are those that this program reads, and filled. */
export const isReadable = ({ version, complete }: IndexState): boolean =>
  version === indexVersion && complete === 1

export async function writeIndexState(db: Db, state: Partial<TemplateIndexTable>): Promise<void> {
  await db.updateTable('product_template_index').set(state).execute()
}
