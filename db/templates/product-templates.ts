import type { Db, ProductTemplateTable } from '../schema.ts'
import type { TemplateFilter } from './conditions.ts'
import { indexTemplates, nameColumns } from './index-templates.ts'
import { orderColumns, type TemplateOrder } from './pages.ts'
import { selective } from './plan.ts'

/** A product template as the service speaks of it: nine fields, `data` the stored text byte for byte. */
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

export interface ListRequest {
  where?: TemplateFilter
  /** The last modified first when it is not given. */
  order?: TemplateOrder | undefined
  limit?: number | undefined
  offset?: number | undefined
  /** Whether `data` is read: it is most of a template. */
  withData?: boolean
}

/** Every template that the filter lets through; of two that are equal in the order the id decides. */
export async function listProductTemplates(
  db: Db,
  {
    where = {},
    order = { field: 'TIME_MODIFIED', direction: 'DESC' },
    limit,
    offset,
    withData = true
  }: ListRequest = {}
): Promise<ProductTemplate[]> {
  const direction = order.direction === 'ASC' ? 'asc' : 'desc'
  let query = templates(db, withData)
    .where(await selective(db, where))
    .orderBy(orderColumns[order.field], direction)
    .orderBy('id', direction)
  // SQLite has no offset without a limit.
  if (limit !== undefined || offset !== undefined) query = query.limit(limit ?? 2_147_483_647)
  if (offset !== undefined) query = query.offset(offset)
  return (await query.execute()).map(toTemplate)
}

/** The templates with these identifiers, by identifier. */
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

const templates = (db: Db, withData: boolean) =>
  db
    .selectFrom('product_template')
    .select([
      'id',
      'blockchain_id as blockchainId',
      'max_items as maxItems',
      'name',
      'public_product as publicProduct',
      'component_name as componentName',
      'time_created as timeCreated',
      'time_modified as timeModified'
    ])
    .$if(withData, query => query.select('data'))

const toTemplate = (
  row: Omit<ProductTemplate, 'publicProduct' | 'data'> & { publicProduct: number; data?: string }
) => ({ ...row, publicProduct: row.publicProduct === 1 }) as ProductTemplate

/** Inserts the templates as they are: at most 500, the engines limit the parameters. The caller gives a transaction. */
export async function insertProductTemplates(db: Db, templates: ProductTemplate[]): Promise<void> {
  await insertTemplateRows(db, templates.map(toRow))
}

/** As {@link insertProductTemplates}, for rows of another store. */
export async function insertTemplateRows(db: Db, rows: ProductTemplateTable[]): Promise<void> {
  await db.insertInto('product_template').values(rows).execute()
  await indexTemplates(db, rows)
}

export async function hasProductTemplates(db: Db): Promise<boolean> {
  return (await db.selectFrom('product_template').select('id').limit(1).executeTakeFirst()) !== undefined
}

function toRow(template: ProductTemplate): ProductTemplateTable {
  return {
    id: template.id,
    blockchain_id: template.blockchainId,
    max_items: template.maxItems,
    name: template.name,
    public_product: template.publicProduct ? 1 : 0,
    component_name: template.componentName,
    time_created: template.timeCreated,
    time_modified: template.timeModified,
    data: template.data,
    ...nameColumns(template.name)
  }
}
