import { type RawBuilder, sql } from 'kysely'
import { engineOf } from '../dialects/engine.ts'
import type { Db } from '../schema.ts'
import { inDirection, type Position, type Reading, selectInOrder } from './order.ts'
import {
  type FoundTemplate,
  type TemplateFields,
  type TemplateRow,
  templateColumns,
  toTemplate
} from './product-templates.ts'

/** The position of a match, with its template if that was read along with it. */
export interface Match extends Position {
  template?: FoundTemplate
}

type MatchRow = Position & Partial<TemplateRow>

/** Reads matches in order, with these fields of their templates where that takes less time than another statement. */
export async function readMatches(
  db: Db,
  reading: Reading,
  fields: TemplateFields | undefined,
  execute: (query: RawBuilder<MatchRow>) => Promise<MatchRow[]>
): Promise<Match[]> {
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
  const { order, test, walks = true } = reading
  const { isServer } = engineOf(db)
  // In the order of ids, an index has all that is tested. With other columns, each row would be visited in the table.
  const isCovered = order.field === 'ID'
  // Otherwise the columns of all matches are read, and then sorted; that is much only with documents.
  const isLittle = isServer ? !fields.has('data') : walks
  if (!test || (isLittle && !isCovered))
    return selectInOrder(db, { ...reading, columns: templateColumns(fields) })
  if (!isServer) return undefined
  return sql`select page.key, ${templateColumns(fields)}
    from (${selectInOrder(db, reading)}) as page join product_template on product_template.id = page.id
    order by ${inDirection(order, sql`page.key`)}`
}
