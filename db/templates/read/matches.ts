import { type RawBuilder, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import {
  type FoundTemplate,
  type TemplateFields,
  type TemplateRow,
  templateColumns,
  toTemplate
} from '../table/product-templates.ts'
import {
  inDirection,
  type Position,
  type Range,
  type Reading,
  selectInOrder,
  type TemplateOrder
} from './order.ts'

/** An order and a range in it. */
export interface Search extends Range {
  order: TemplateOrder
  /** Fields to read of the matches, if that needs no further statement. */
  fields?: TemplateFields | undefined
}

/** The position of a match, with its template if that was read along with it. */
export interface Match extends Position {
  template?: FoundTemplate
}

/** A row with a position, and the columns of its template if they were read. */
export type MatchRow = Position & Partial<TemplateRow>

/** Reads matches in order; also fields of their templates, if that takes less time than a second statement. */
export async function readMatches(
  db: Db,
  search: Search,
  more: Omit<Reading, 'order' | 'range'>,
  execute: (query: RawBuilder<MatchRow>) => Promise<MatchRow[]>
): Promise<Match[]> {
  const { order, fields } = search
  const reading = { ...more, order, range: search }
  const withTemplates = fields && selectWithTemplates(db, reading, fields)
  const rows = await execute(withTemplates ?? selectInOrder(db, reading))
  if (!withTemplates) return rows
  return rows.map(({ key, ...row }) => ({ key, id: row.id, template: toTemplate(row as TemplateRow) }))
}

function selectWithTemplates(
  db: Db,
  reading: Reading,
  fields: TemplateFields
): RawBuilder<MatchRow> | undefined {
  const { order, test, from } = reading
  const isPostgres = engineOf(db).name === 'postgres'
  // An index in the order of ids covers the test. Other columns are only in the table.
  const isCovered = order.field === 'ID'
  // PostgreSQL may read the columns of all matches before it sorts them; SQLite does so without a walk.
  const isLittle = isPostgres ? !fields.has('data') : !from
  if (!test || (isLittle && !isCovered))
    return selectInOrder(db, { ...reading, columns: templateColumns(fields) })
  if (!isPostgres) return undefined
  return sql`select page.key, ${templateColumns(fields)}
    from (${selectInOrder(db, reading)}) as page join product_template on product_template.id = page.id
    order by ${inDirection(order, sql`page.key`)}`
}
