import { fieldNames, type ProductTemplate } from '../../../db/templates/table/columns.ts'
import { CommandError } from '../../terminal/command.ts'
import { guardCell, writeText } from './cell.ts'
import { type Column, fieldColumn, keyColumn, traitColumn } from './columns.ts'
import { DocumentCells, parseDocument } from './document.ts'

const fields = fieldNames.filter(field => field !== 'data')
const keys = ['productId', 'description', 'external_url', 'image', 'name', 'component']

/** What spreadsheets can open. */
const maxColumns = 16_384

/** Finds the columns that all templates need. Throws CommandError if they are too many. */
export async function findColumns(pages: AsyncIterable<ProductTemplate[]>): Promise<Column[]> {
  const found = { keys: new Set(keys), traits: new Set<string>() }
  for await (const templates of pages) {
    for (const { data } of templates) {
      const document = parseDocument(data)
      if (!document) continue
      const cells = new DocumentCells(document)
      for (const key of cells.keys) found.keys.add(key)
      for (const trait of cells.traits) found.traits.add(trait)
    }
    if (found.keys.size + found.traits.size > maxColumns)
      throw new CommandError(`CSV would have more than ${maxColumns} columns: export ndjson`)
  }
  return [
    ...fields.map(fieldColumn),
    ...Array.from(found.keys, keyColumn),
    ...Array.from(found.traits, traitColumn)
  ]
}

/** Writes the cells of a template. */
export function writeRow(template: ProductTemplate, columns: Column[]): string[] {
  const document = new DocumentCells(parseDocument(template.data) ?? {})
  return columns.map(({ kind, name }) => guardCell(writeCell(template, document, kind, name)))
}

function writeCell(
  template: ProductTemplate,
  document: DocumentCells,
  kind: Column['kind'],
  name: string
): string {
  if (kind === 'key') return document.writeKey(name)
  if (kind === 'trait') return document.writeTrait(name)
  const value = template[name as keyof ProductTemplate]
  return typeof value === 'string' && name !== 'data' ? writeText(value) : String(value)
}
