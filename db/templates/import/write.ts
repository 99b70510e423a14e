import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db, ProductTemplateTable } from '../../schema.ts'
import { timestamp, timestampAfter } from '../../timestamp.ts'
import { changeIndexed } from '../index/write.ts'
import { nobody, signImported } from '../revisions/revisions.ts'
import { type ProductTemplate, toIndexedRow } from '../table/product-templates.ts'
import { makeProblem } from '../validation/problem.ts'
import type { Incoming } from './batches.ts'
import type { Work } from './options.ts'
import type { NewTemplate } from './record.ts'

/** Decides what to do with each template, and does it; without `insert`, it only counts. `db` is a transaction. */
export async function writeBatch<Place>(
  db: Db,
  batch: Incoming<Place>[],
  work: Work<Place>,
  insert?: (templates: ProductTemplate[]) => Promise<void>
): Promise<void> {
  if (batch.length === 0) return
  const { counts } = work
  const stored = await findStored(db, batch, work.options.existing, insert !== undefined)
  const created: ProductTemplate[] = []
  const changed: ProductTemplateTable[] = []
  for (const { template, ...source } of batch) {
    if (work.stopped) return
    const before = stored.get(template.id)
    if (!before) created.push(withTimes(template))
    else if (work.options.existing === 'keep') counts.kept++
    else if (work.options.existing === 'replace') {
      const row = replacement(before, template)
      if (row) changed.push(row)
      else counts.unchanged++
    } else work.refuse([makeProblem('ID_TAKEN', `a template with id ${template.id} exists`, 'id')], source)
  }
  counts.inserted += created.length
  counts.replaced += changed.length
  if (!insert || work.refused) return
  if (created.length > 0) await insert(created)
  if (changed.length > 0) await change(db, changed)
  const ids = [...created, ...changed].map(({ id }) => id)
  await signImported(db, ids, work.options.author ?? nobody)
}

/** Returns the rows with these ids. If they are to be replaced, they are complete and locked; otherwise only their ids. */
async function findStored<Place>(
  db: Db,
  batch: Incoming<Place>[],
  existing: Work<Place>['options']['existing'],
  writes: boolean
): Promise<Map<number, ProductTemplateTable>> {
  const { listIds, lockRows } = engineOf(db)
  const replaces = existing === 'replace'
  const ids = listIds(batch.map(({ template }) => template.id))
  const { rows } = await sql<ProductTemplateTable>`select ${replaces ? sql`*` : sql`id`} from product_template
    where id in (${ids}) ${replaces && writes ? lockRows : sql``}`.execute(db)
  return new Map(rows.map(row => [row.id, row]))
}

function withTimes(template: Incoming<unknown>['template']): ProductTemplate {
  const time = template.timeModified ?? template.timeCreated ?? timestamp()
  return {
    ...template,
    timeCreated: template.timeCreated ?? time,
    timeModified: template.timeModified ?? time
  }
}

/** Returns the row that replaces a stored one; undefined if it would change nothing but set back the time. */
function replacement(
  before: ProductTemplateTable,
  given: NewTemplate & { id: number }
): ProductTemplateTable | undefined {
  const row = toIndexedRow({ timeCreated: before.time_created, timeModified: before.time_modified, ...given })
  if (row.time_modified <= before.time_modified) row.time_modified = before.time_modified
  const columns = Object.keys(row) as (keyof ProductTemplateTable)[]
  if (columns.every(column => row[column] === before[column])) return undefined
  if (row.time_modified === before.time_modified) row.time_modified = timestampAfter(before.time_modified)
  return row
}

async function change(db: Db, rows: ProductTemplateTable[]): Promise<void> {
  await changeIndexed(db, rows, async () => {
    for (const { id, ...columns } of rows)
      await db.updateTable('product_template').set(columns).where('id', '=', id).execute()
  })
}
