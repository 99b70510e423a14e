/** Reads rows of `product_template`. */
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { columns, type FieldName, fieldNames, type ProductTemplate } from '../../domain/columns.ts'
import { engineOf } from '../dialects/engine.ts'
import { prepared } from '../dialects/prepared.ts'
import type { Db } from '../schema.ts'

/** A field of a template that can be read. Triggers write the revision. */
export type ReadField = FieldName | 'revision'

const readFields: ReadField[] = [...fieldNames, 'revision']
const columnOf = (field: ReadField): string => (field === 'revision' ? field : columns[field].column)

export const isReadField = (name: string): name is ReadField => (readFields as string[]).includes(name)

/** The fields of a template to read. `data` is most of it. */
export type TemplateFields = ReadonlySet<ReadField>

/** The fields of {@link ProductTemplate}. */
export const allFields: TemplateFields = new Set(fieldNames)
/** No other field: a template is always read with its id. */
export const onlyId: TemplateFields = new Set()

/** Bytes of a document up to which it is read and written together with other documents. */
export const maxBytesTogether = 2 ** 15

/** A template with the fields that were read. `data` is null if it is long: see `readDocument`. */
export type PartialTemplate = Pick<ProductTemplate, 'id'> &
  Partial<Omit<ProductTemplate, 'id' | 'data'>> & { data?: string | null; revision?: number }

/** A row with the columns of a template, under the names of its fields. */
export type TemplateRow = Omit<PartialTemplate, 'publicProduct'> & { publicProduct?: number }

/** Lists the columns of some fields for a statement, under the names of the fields. */
export const namedColumns = (fields: readonly ReadField[]): RawBuilder<unknown> =>
  sql.raw(fields.map(field => nameColumn(field)).join())

/** Lists the columns of some fields, and the id. A long document is null, because a page may have many. */
export const selectedColumns = (fields: TemplateFields): RawBuilder<unknown> =>
  sql.raw(
    readFields
      .filter(field => field === 'id' || fields.has(field))
      .map(field => nameColumn(field, field === 'data' ? shortDocument : undefined))
      .join()
  )

const nameColumn = (field: ReadField, value = columnOf(field)): string => `${value} as "${field}"`

const shortDocument = `case when octet_length(data) <= ${maxBytesTogether} then data end`

export function toTemplate(row: TemplateRow): PartialTemplate {
  // Makes a copy, because V8 reads all rows of a statement more slowly once one of them has a value of another type.
  const template: Record<string, unknown> = { ...row }
  for (const field of booleanFields) if (field in template) template[field] = template[field] === 1
  return template as unknown as PartialTemplate
}

const booleanFields = fieldNames.filter(field => columns[field].type === 'boolean')

/** A whole template, as it is or was in a revision. */
export interface TemplateWithRevision extends ProductTemplate {
  revision: number
}

export const wholeTemplate = namedColumns(readFields)

/** Selects templates that meet a condition. They have only the given columns. */
export async function selectTemplates<T extends PartialTemplate = TemplateWithRevision>(
  db: Db,
  columns: RawBuilder<unknown>,
  condition: Expression<SqlBool>,
  end = sql``
): Promise<T[]> {
  const { rows } = await sql<TemplateRow>`select ${columns} from product_template
    where ${condition} ${end}`.execute(db)
  return rows.map(row => toTemplate(row) as T)
}

/** Finds a template with the whole document. */
export const findWholeTemplate = async (db: Db, id: number): Promise<TemplateWithRevision | undefined> =>
  (await selectTemplates(prepared(db), wholeTemplate, sql<SqlBool>`id = ${id}`))[0]

const everyField: TemplateFields = new Set(readFields)
/** The document is most of a template. */
const withoutDocument: TemplateFields = new Set(readFields.filter(field => field !== 'data'))

/** Finds a template with at least these fields. There are only two statements, so both stay prepared. */
export async function findPartialTemplate(
  db: Db,
  id: number,
  fields = allFields
): Promise<PartialTemplate | undefined> {
  const columns = selectedColumns(fields.has('data') ? everyField : withoutDocument)
  return (await selectTemplates<PartialTemplate>(prepared(db), columns, sql<SqlBool>`id = ${id}`))[0]
}

/** Finds the templates with these ids; returns them by id. */
export async function findPartialTemplates(
  db: Db,
  ids: number[],
  fields = allFields
): Promise<Map<number, PartialTemplate>> {
  if (ids.length === 0) return new Map()
  const isWanted = engineOf(db).syntax.isOneOf(sql.ref('product_template.id'), ids)
  const templates = await selectTemplates<PartialTemplate>(db, selectedColumns(fields), isWanted)
  return new Map(templates.map(template => [template.id, template]))
}

export async function hasProductTemplates(db: Db): Promise<boolean> {
  return (await db.selectFrom('product_template').select('id').limit(1).executeTakeFirst()) !== undefined
}
