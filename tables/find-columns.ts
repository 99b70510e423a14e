import { fieldNames, type ProductTemplate } from '../db/templates/table/columns.ts'
import { type Column, documentColumn, fieldColumn } from './columns.ts'
import { DocumentCells, parseDocument } from './document.ts'
import { TableError } from './table.ts'

const plainFields = fieldNames.filter(field => field !== 'data')
const usualKeys = ['productId', 'description', 'external_url', 'image', 'name', 'component']

/** What spreadsheets can open. */
const maxColumns = 16_384

/** Finds the columns that all templates need. Throws TableError if they are too many. */
export async function findColumns(
  pages: AsyncIterable<ProductTemplate[]>,
  withoutData = false
): Promise<Column[]> {
  const found = { keys: new Set(usualKeys), traits: new Set<string>() }
  for await (const templates of pages) {
    for (const { data } of templates) {
      const document = parseDocument(data)
      if (!document) continue
      const cells = new DocumentCells(document)
      for (const key of cells.keys) found.keys.add(key)
      for (const trait of cells.traits) found.traits.add(trait)
    }
    if (found.keys.size + found.traits.size > maxColumns)
      throw new TableError(`the table would have more than ${maxColumns} columns: export ndjson`)
  }
  return [
    ...plainFields.map(fieldColumn),
    ...Array.from(found.keys, name => documentColumn('key', name)),
    ...Array.from(found.traits, name => documentColumn('trait', name)),
    ...(withoutData ? [] : [fieldColumn('data')])
  ]
}
