import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { timestamp, timestampAfter } from '../../timestamp.ts'
import { updateProductTemplates } from '../index/write.ts'
import { setImportAuthor } from '../revisions/author.ts'
import { nobody } from '../revisions/revisions.ts'
import { fieldNames } from '../table/columns.ts'
import {
  namedColumns,
  type ProductTemplate,
  type TemplateRow,
  toTemplate
} from '../table/product-templates.ts'
import { makeProblem } from '../validation/problem.ts'
import type { Incoming } from './batches.ts'
import type { NewTemplate } from './record.ts'
import type { ImportOptions, ImportReport } from './report.ts'

/** Decides what to do with each template, and does it; without `insert`, it only counts in the report. `db` is a transaction. */
export async function writeBatch<Place>(
  db: Db,
  batch: Incoming<Place>[],
  report: ImportReport<Place>,
  insert?: (templates: ProductTemplate[]) => Promise<void>
): Promise<void> {
  if (batch.length === 0) return
  const stored = await findStored(db, batch, report.options.existing, insert !== undefined)
  const created: ProductTemplate[] = []
  const changed: ProductTemplate[] = []
  const former: ProductTemplate[] = []
  for (const { template, ...source } of batch) {
    if (report.stopped) return
    const before = stored.get(template.id)
    if (!before) created.push(withTimes(template))
    else if (report.options.existing === 'keep') report.result.kept++
    else if (report.options.existing === 'replace') {
      const after = replace(before, template)
      if (after) {
        changed.push(after)
        former.push(before)
      } else report.result.unchanged++
    } else report.refuse([makeProblem('ID_TAKEN', `a template with id ${template.id} exists`, 'id')], source)
  }
  report.result.inserted += created.length
  report.result.replaced += changed.length
  if (!insert || report.refused) return
  if (created.length > 0) await insert(created)
  if (changed.length > 0) await updateProductTemplates(db, changed, former)
  const ids = [...created, ...changed].map(({ id }) => id)
  await setImportAuthor(db, ids, report.options.author ?? nobody)
}

/** Returns the templates with these ids. If they are to be replaced, they are complete and locked; otherwise only ids. */
async function findStored(
  db: Db,
  batch: Incoming<unknown>[],
  existing: ImportOptions['existing'],
  writes: boolean
): Promise<Map<number, ProductTemplate>> {
  const { isOneOf, lockRows } = engineOf(db).syntax
  const replaces = existing === 'replace'
  const ids = batch.map(({ template }) => template.id)
  const { rows } = await sql<TemplateRow>`
    select ${namedColumns(replaces ? fieldNames : ['id'])} from product_template
    where ${isOneOf(sql.ref('id'), ids)} ${replaces && writes ? lockRows : sql``}`.execute(db)
  return new Map(rows.map(row => [row.id, toTemplate(row) as ProductTemplate]))
}

function withTimes(template: Incoming<unknown>['template']): ProductTemplate {
  const time = template.timeModified ?? template.timeCreated ?? timestamp()
  return { timeCreated: time, timeModified: time, ...template }
}

/** Returns what replaces a stored template; undefined if it would change nothing but set back the time. */
function replace(before: ProductTemplate, given: NewTemplate & { id: number }): ProductTemplate | undefined {
  const after = { ...before, ...given }
  if (after.timeModified <= before.timeModified) after.timeModified = before.timeModified
  if (isDeepStrictEqual(after, before)) return undefined
  if (after.timeModified === before.timeModified) after.timeModified = timestampAfter(before.timeModified)
  return after
}
