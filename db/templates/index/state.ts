import { CompiledQuery } from 'kysely'
import { prepare } from '../../dialects/prepared.ts'
import type { Db, TemplateIndexTable } from '../../schema.ts'
import { indexVersion } from './entries.ts'

export interface IndexState extends TemplateIndexTable {
  /** Number of pending templates, counted up to {@link maxPendingCounted}. */
  pending: number
}

const maxPendingCounted = 1001

// Runs with every filter. Plain SQL, because building the query would take longer than running it.
const question = prepare(
  CompiledQuery.raw(`select version, complete, reached,
  (select count(*) from (select 1 from product_template_pending limit ${maxPendingCounted}) as counted) as pending
  from product_template_index`)
)

export async function readIndexState(db: Db): Promise<IndexState> {
  const { rows } = await db.executeQuery(question)
  return rows[0] as IndexState
}

/** Whether the index is complete and of the current version. */
export const isReadable = ({ version, complete }: IndexState): boolean =>
  version === indexVersion && complete === 1

export async function writeIndexState(db: Db, state: Partial<TemplateIndexTable>): Promise<void> {
  await db.updateTable('product_template_index').set(state).execute()
}
