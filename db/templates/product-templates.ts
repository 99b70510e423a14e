import type { Db, ProductTemplateTable } from '../schema.ts'
import { insertIndexed } from './index/write.ts'
import { nameColumns } from './name-columns.ts'

/** A product template with its nine fields; `data` is the stored text byte for byte. */
export interface ProductTemplate {
  id: number
  blockchainId: number
  maxItems: number
  name: string
  publicProduct: boolean
  componentName: string
  /** UTC with microseconds: `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  timeCreated: string
  timeModified: string
  data: string
}

/** Finds the templates with these ids; returns them by id. */
export async function findProductTemplates(
  db: Db,
  ids: number[],
  withData = true
): Promise<Map<number, ProductTemplate>> {
  if (ids.length === 0) return new Map()
  const rows = await templates(db, withData).where('id', 'in', ids).execute()
  return new Map(rows.map(row => [row.id, toTemplate(row)]))
}

export async function findProductTemplate(
  db: Db,
  id: number,
  withData = true
): Promise<ProductTemplate | undefined> {
  return (await findProductTemplates(db, [id], withData)).get(id)
}

const columns = [
  'product_template.id',
  'blockchain_id as blockchainId',
  'max_items as maxItems',
  'name',
  'public_product as publicProduct',
  'component_name as componentName',
  'time_created as timeCreated',
  'time_modified as timeModified'
] as const

/** The columns of a template, aliased to its fields. */
export const templateColumns = (withData: boolean) => (withData ? ([...columns, 'data'] as const) : columns)

const templates = (db: Db, withData: boolean) =>
  db.selectFrom('product_template').select(templateColumns(withData))

export function toTemplate(
  row: Omit<ProductTemplate, 'publicProduct' | 'data'> & { publicProduct: number; data?: string }
): ProductTemplate {
  return { ...row, publicProduct: row.publicProduct === 1 } as ProductTemplate
}

/** Inserts at most 500 templates, because the engines limit the number of parameters. `db` is a transaction. */
export async function insertProductTemplates(db: Db, templates: ProductTemplate[]): Promise<void> {
  await insertTemplateRows(db, templates.map(toRow))
}

/** Like {@link insertProductTemplates}, for rows from another database. */
export async function insertTemplateRows(
  db: Db,
  rows: Omit<ProductTemplateTable, 'name_folded' | 'name_key'>[]
): Promise<void> {
  // Another database may have outdated ones.
  await insertIndexed(
    db,
    rows.map(row => ({ ...row, ...nameColumns(row.name) }))
  )
}

export async function hasProductTemplates(db: Db): Promise<boolean> {
  return (await db.selectFrom('product_template').select('id').limit(1).executeTakeFirst()) !== undefined
}

function toRow(template: ProductTemplate): Omit<ProductTemplateTable, 'name_folded' | 'name_key'> {
  return {
    id: template.id,
    blockchain_id: template.blockchainId,
    max_items: template.maxItems,
    name: template.name,
    public_product: template.publicProduct ? 1 : 0,
    component_name: template.componentName,
    time_created: template.timeCreated,
    time_modified: template.timeModified,
    data: template.data
  }
}
