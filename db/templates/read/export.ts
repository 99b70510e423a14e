import type { Db } from '../../schema.ts'
import { readTemplatesVersion } from '../../versions.ts'
import { planFilter } from '../filter/plan.ts'
import { unmetered } from '../meter.ts'
import type { ProductTemplate } from '../table/columns.ts'
import { allFields } from '../table/product-templates.ts'
import { readList } from './list.ts'
import { countTemplates } from './page.ts'
import { inTemplateSnapshot } from './snapshot.ts'

/** What an export reads, all of one moment. */
export interface Export {
  /** The number of templates. */
  count: number
  /** Reads all templates by id, in batches; may be called again. */
  read(): AsyncGenerator<ProductTemplate[]>
}

/**
 * Runs a job once on a snapshot of the templates. `since`, in the stored format, leaves out those that were modified
 * earlier. A replica that has everything committed before serves the snapshot.
 */
export async function exportTemplates<T>(
  db: Db,
  { since }: { since?: string | undefined },
  job: (templates: Export) => Promise<T>
): Promise<T> {
  const version = await readTemplatesVersion(db)
  // The job writes what it reads to a file.
  const options = { version, needsIndex: false, retries: false }
  return inTemplateSnapshot(db, options, async snapshot => job(await openExport(snapshot, since)))
}

async function openExport(db: Db, since: string | undefined): Promise<Export> {
  const filter = since === undefined ? {} : { timeModified: { gte: since } }
  const meter = unmetered()
  const plan = await planFilter(db, filter, meter)
  const request = { order: { field: 'ID', direction: 'ASC' }, fields: allFields } as const
  return { count: await countTemplates(db, plan, meter), read: () => readList(db, plan, request, meter) }
}
