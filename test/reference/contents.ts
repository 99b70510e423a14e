import type { Selectable } from 'kysely'
import type { Database, Db } from '../../db/schema.ts'
import { fieldNames, type ProductTemplate } from '../../domain/columns.ts'
import { matches, type Where } from './filter.ts'

export type Template = ProductTemplate & { revision: number }

/** Everything that is stored. */
export interface Contents {
  templates: Template[]
  /** In the order in which they were made. */
  revisions: Selectable<Database['product_revision']>[]
  /** The template as of a revision; undefined for none and for a deletion. */
  pinned(id: number, number: number): Template | undefined
  rule?: Where | undefined
}

/** Reads a store, one statement per table. */
export async function readContents(db: Db): Promise<Contents> {
  const rows = await db.selectFrom('product_template').selectAll().execute()
  const past = await db.selectFrom('product_template_past').selectAll().orderBy('number').execute()
  const revisions = await db.selectFrom('product_revision').selectAll().orderBy('sequence').execute()
  const templates = rows.map(row => toTemplate(row.id, row.revision as number, row, row.data))
  return {
    templates,
    revisions,
    pinned(id, number) {
      const now = templates.find(template => template.id === id)
      if (now?.revision === number) return now
      const ofTemplate = past.filter(row => row.template_id === id)
      const then = ofTemplate.find(row => row.number === number)
      // Bytes that did not change are stored with the last revision that has them.
      const later = ofTemplate.find(row => row.number >= number && row.data !== null)
      return then && toTemplate(id, number, then, later?.data ?? now?.data ?? '')
    }
  }
}

/** What somebody with a rule sees: the templates, and the revisions whose contents match. */
export const seenBy = (contents: Contents, rule: Where | undefined): Contents => ({
  ...contents,
  rule,
  templates: contents.templates.filter(template => matches(template, rule ?? {})),
  pinned(id, number) {
    const template = contents.pinned(id, number)
    return template && matches(template, rule ?? {}) ? template : undefined
  }
})

function toTemplate(
  id: number,
  revision: number,
  row: Omit<Database['product_template_past'], 'template_id' | 'number' | 'data'>,
  data: string
): Template {
  const stored: Record<string, unknown> = { ...row, id, data }
  const values = fieldNames.map(field => [field, stored[toSnakeCase(field)]])
  return { ...Object.fromEntries(values), publicProduct: row.public_product === 1, revision }
}

const toSnakeCase = (field: string): string =>
  field.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
