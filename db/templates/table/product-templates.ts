import { type RawBuilder, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, ProductTemplateTable } from '../../schema.ts'
import { insertIndexed, loadIndexed } from '../index/write.ts'
import { type Meter, statementCost } from '../meter.ts'
import { nameColumns } from './name-columns.ts'

export { maxInt, minInt } from './integers.ts'

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

/** The column of each field. */
const columns = {
  id: 'id',
  blockchainId: 'blockchain_id',
  maxItems: 'max_items',
  name: 'name',
  publicProduct: 'public_product',
  componentName: 'component_name',
  timeCreated: 'time_created',
  timeModified: 'time_modified',
  data: 'data'
} as const satisfies Record<keyof ProductTemplate, keyof ProductTemplateTable>

/** The columns that can be read. Triggers write the revision. */
const readColumns = { ...columns, revision: 'revision' } as const

/** A field of a template that can be read. */
export type ReadField = keyof typeof readColumns

export const isReadField = (name: string): name is ReadField => Object.hasOwn(readColumns, name)

/** The fields of a template that are read. Only those are in the template. `data` is most of it, `size` its bytes. */
export type TemplateFields = ReadonlySet<ReadField | 'size'>

/** The fields of {@link ProductTemplate}. */
export const allFields: TemplateFields = new Set(Object.keys(columns) as ReadField[])

/** Bytes of a document up to which it is read together with those of other templates. */
export const maxBytesTogether = 2 ** 15
/** Cost of reading a longer one. */
const costPerReadCharacter = 1 / 16_384

/** A template as it is found. `data` is null if it is long; read it with {@link readDocument}. */
export type FoundTemplate = Omit<ProductTemplate, 'data'> & {
  data: string | null
  revision?: number
  size?: number
}

/** A row with the columns of a template, under the names of its fields. */
export type TemplateRow = Omit<FoundTemplate, 'publicProduct'> & { publicProduct: number }

/**
 * Selects the columns of some fields, and the id. A long document is null, so that a page of them takes little memory;
 * with the time of the last modification it can be read later.
 */
export function templateColumns(fields: TemplateFields): RawBuilder<unknown> {
  const selected = Object.entries(readColumns).filter(
    ([field]) =>
      field === 'id' || fields.has(field as ReadField) || (field === 'timeModified' && fields.has('data'))
  )
  const expressions = selected.map(([field, column]) => {
    const value = sql.ref(`product_template.${column}`)
    if (field !== 'data') return sql`${value} as ${sql.ref(field)}`
    return sql`case when octet_length(${value}) <= ${sql.lit(maxBytesTogether)} then ${value} end as data`
  })
  if (fields.has('size')) expressions.push(sql`octet_length(product_template.data) as size`)
  return sql.join(expressions)
}

export function toTemplate(row: TemplateRow): FoundTemplate {
  return { ...row, publicProduct: row.publicProduct === 1 }
}

/** Finds the templates with these ids; returns them by id. */
export async function findProductTemplates(
  db: Db,
  ids: number[],
  fields = allFields
): Promise<Map<number, FoundTemplate>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<TemplateRow>`select ${templateColumns(fields)} from product_template
    where product_template.id in (${engineOf(db).listIds(ids)})`.execute(db)
  return new Map(rows.map(row => [row.id, toTemplate(row)]))
}

/** Finds a template with at least these fields. */
export async function findProductTemplate(
  db: Db,
  id: number,
  fields = allFields
): Promise<FoundTemplate | undefined> {
  const columns = fields.has('data') ? withDocument : withoutDocument
  const { rows } = await sql<TemplateRow>`select ${columns} from product_template
    where product_template.id = ${id}`.execute(prepared(db))
  return rows[0] && toTemplate(rows[0])
}

// Only two texts, so that both stay prepared. The document is most of a template.
const withDocument = templateColumns(new Set(Object.keys(readColumns) as ReadField[]))
const withoutDocument = templateColumns(
  new Set((Object.keys(readColumns) as ReadField[]).filter(field => field !== 'data'))
)

/**
 * Reads the document of a template that was found; undefined if the template was changed or deleted since. The cost
 * depends on the size, which is known only then.
 */
export async function readDocument(
  db: Db,
  { id, timeModified }: Pick<FoundTemplate, 'id' | 'timeModified'>,
  meter: Meter
): Promise<string | undefined> {
  meter.spend(statementCost)
  await meter.turn()
  const row = await db
    .selectFrom('product_template')
    .select('data')
    .where('id', '=', id)
    .where('time_modified', '=', timeModified)
    .executeTakeFirst()
  meter.spend((row?.data.length ?? 0) * costPerReadCharacter)
  return row?.data
}

/** Inserts at most 500 templates, because the engines limit the number of parameters. `db` is a transaction. */
export async function insertProductTemplates(db: Db, templates: ProductTemplate[]): Promise<void> {
  await insertIndexed(db, templates.map(toIndexedRow))
}

/** Inserts many templates: the job is given the function that inserts some of them. `db` is a transaction. */
export function loadProductTemplates(
  db: Db,
  job: (insert: (templates: ProductTemplate[]) => Promise<void>) => Promise<void>
): Promise<void> {
  return loadTemplateRows(db, insert => job(templates => insert(templates.map(toRow))))
}

/** Like {@link loadProductTemplates}, for rows from another database. */
export function loadTemplateRows(
  db: Db,
  job: (insert: (rows: UnindexedRow[]) => Promise<void>) => Promise<void>
): Promise<void> {
  return loadIndexed(db, insert => job(rows => insert(rows.map(withNames))))
}

/** Converts a template to its row. */
export const toIndexedRow = (template: ProductTemplate): ProductTemplateTable => withNames(toRow(template))

/** Another database may have outdated names. */
const withNames = (row: UnindexedRow): ProductTemplateTable => ({ ...row, ...nameColumns(row.name) })

export async function hasProductTemplates(db: Db): Promise<boolean> {
  return (await db.selectFrom('product_template').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** A row without what is derived from it. */
export type UnindexedRow = Omit<ProductTemplateTable, 'name_folded' | 'name_key'>

/** Converts a template to its row. */
export function toRow(template: ProductTemplate): UnindexedRow {
  const values = Object.entries(columns).map(([field, column]) => [
    column,
    template[field as keyof typeof columns]
  ])
  return { ...Object.fromEntries(values), public_product: template.publicProduct ? 1 : 0 } as UnindexedRow
}
