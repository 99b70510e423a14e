import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { replicaOf } from '../../replica.ts'
import type { Db } from '../../schema.ts'
import { beginSnapshot } from '../../transaction.ts'
import { readTemplatesVersion } from '../../versions.ts'
import { unmetered } from '../meter.ts'
import type { ProductTemplate } from './columns.ts'
import {
  allFields,
  readDocument,
  type TemplateRow,
  templateColumns,
  toTemplate
} from './product-templates.ts'

/** Templates per batch. */
const batchSize = 100

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
  const replicated = version === undefined ? undefined : await replicaOf(db)?.begin(version)
  const snapshot = replicated ?? (await beginSnapshot(db))
  try {
    return await job(await openExport(snapshot.db, since))
  } finally {
    await snapshot.end()
  }
}

async function openExport(db: Db, since: string | undefined): Promise<Export> {
  const condition = since === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`time_modified >= ${since}`
  const { count } = await db
    .selectFrom('product_template')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(condition)
    .executeTakeFirstOrThrow()
  return { count, read: () => readTemplates(db, condition) }
}

async function* readTemplates(db: Db, condition: RawBuilder<SqlBool>): AsyncGenerator<ProductTemplate[]> {
  for (let last = -1, full = true; full; ) {
    const { rows } = await sql<TemplateRow>`select ${templateColumns(allFields)} from product_template
      where product_template.id > ${last} and ${condition}
      order by product_template.id limit ${sql.lit(batchSize)}`.execute(db)
    const templates: ProductTemplate[] = []
    for (const row of rows) {
      const template = toTemplate(row)
      // Long documents come one by one, so that a batch of them takes little memory until it is written.
      const data = template.data ?? (await readDocument(db, row.id, unmetered()))
      templates.push({ ...template, data })
    }
    if (templates.length > 0) yield templates
    last = rows.at(-1)?.id ?? last
    full = rows.length === batchSize
    // The SQLite driver is synchronous: without a pause, neither progress nor signals are handled.
    await setImmediate()
  }
}
