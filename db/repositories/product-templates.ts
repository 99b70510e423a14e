import type { Db, ProductTemplateTable } from '../schema.ts'

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

/** Every template, the last modified first; of two modified at once the higher id first. */
export async function listProductTemplates(db: Db): Promise<ProductTemplate[]> {
  const rows = await db
    .selectFrom('product_template')
    .select([
      'id',
      'blockchain_id as blockchainId',
      'max_items as maxItems',
      'name',
      'public_product as publicProduct',
      'component_name as componentName',
      'time_created as timeCreated',
      'time_modified as timeModified',
      'data'
    ])
    .orderBy('time_modified', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(row => ({ ...row, publicProduct: row.publicProduct === 1 }))
}

/** Inserts the templates as they are, in one statement: at most 100, the engines limit the parameters. */
export async function insertProductTemplates(db: Db, templates: ProductTemplate[]): Promise<void> {
  await db.insertInto('product_template').values(templates.map(toRow)).execute()
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
    data: template.data
  }
}
