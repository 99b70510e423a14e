import { type Expression, type SqlBool, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { findByProductId, testName } from '../filter/sql.ts'
import { fieldNames, type ProductTemplate } from '../table/columns.ts'
import { namedColumns, type TemplateRow, toTemplate } from '../table/product-templates.ts'
import type { ImportOptions } from './report.ts'

type Key = 'id' | 'productId' | 'name'

/**
 * Makes the function that finds the templates which the rows of a table change. If they are replaced, they stay locked until
 * the transaction ends. Imports by product id or name wait for each other, so that none misses a template that another one
 * creates.
 */
export function finderOf(db: Db, { existing, dryRun = false }: ImportOptions<never>) {
  const lock = existing === 'replace' && !dryRun
  let turn: Promise<void> | undefined
  return async (key: Key, values: string[]): Promise<ProductTemplate[]> => {
    if (key !== 'id' && !dryRun) {
      turn ??= engineOf(db).lock(db, 'imports')
      await turn
    }
    return findStoredTemplates(db, key, values, lock)
  }
}

/** Finds the templates that have one of at most 500 ids, product ids or names. The index must be complete. */
async function findStoredTemplates(
  db: Db,
  key: Key,
  values: string[],
  lock: boolean
): Promise<ProductTemplate[]> {
  const conditions: Record<typeof key, () => Expression<SqlBool>> = {
    id: () => sql`id in (${sql.join(values.map(Number))})`,
    productId: () => sql`id in (${findByProductId(db, { in: values })})`,
    name: () => testName(db, { in: values })
  }
  const { rows } = await sql<TemplateRow>`
    select ${namedColumns(fieldNames)} from product_template where ${conditions[key]()}
    ${lock ? engineOf(db).syntax.lockRows : sql``}`.execute(db)
  return rows.map(row => toTemplate(row) as ProductTemplate)
}

/** Lists the names of traits that templates have or had. */
export async function listTraitTypes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`select type from product_trait_type order by type`.execute(db)
  return rows.map(({ type }) => type)
}
