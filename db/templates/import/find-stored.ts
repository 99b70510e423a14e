import { type Expression, type SqlBool, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import { findByProductId, testName } from '../filter/sql.ts'
import { fieldNames, type ProductTemplate } from '../table/columns.ts'
import { namedColumns, type TemplateRow, toTemplate } from '../table/product-templates.ts'

/** Finds the templates that have one of these ids, product ids or names, at most 500; the index must be complete. */
export async function findStoredTemplates(
  db: Db,
  key: 'id' | 'productId' | 'name',
  values: string[]
): Promise<ProductTemplate[]> {
  const conditions: Record<typeof key, () => Expression<SqlBool>> = {
    id: () => sql`id in (${sql.join(values.map(Number))})`,
    productId: () => sql`id in (${findByProductId(db, { in: values })})`,
    name: () => testName(db, { in: values })
  }
  const { rows } = await sql<TemplateRow>`
    select ${namedColumns(fieldNames)} from product_template where ${conditions[key]()}`.execute(db)
  return rows.map(row => toTemplate(row) as ProductTemplate)
}

/** Lists the names of traits that templates have, or have had. */
export async function listTraitTypes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`select type from product_trait_type order by type`.execute(db)
  return rows.map(({ type }) => type)
}
