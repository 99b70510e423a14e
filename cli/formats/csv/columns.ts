import { allFields, type ProductTemplate } from '../../../db/templates/product-templates.ts'
import { findNearest } from '../../../options/check.ts'
import { CommandError } from '../../terminal/command.ts'
import { DocumentCells, parseDocument } from './document.ts'

/** A column: a field, a key of the document, or a trait. */
export interface Column {
  header: string
  kind: 'field' | 'key' | 'trait'
  name: string
}

const fields = [...allFields].filter(field => field !== 'data')
const keys = ['productId', 'description', 'external_url', 'image', 'name', 'component']

/** What spreadsheets can open. */
const maxColumns = 16_384

export const fieldColumn = (name: string): Column => ({ header: name, kind: 'field', name })
const keyColumn = (name: string): Column => ({ header: `document.${name}`, kind: 'key', name })
const traitColumn = (name: string): Column => ({ header: `trait:${name}`, kind: 'trait', name })

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

/** Reads a header. Returns the columns or what is wrong, with the number of the column from 0. */
export function readHeader(cells: string[]): { columns: Column[]; problem?: string; column?: number } {
  const columns = cells.map(readColumn)
  for (const [index, header] of cells.entries()) {
    if (!columns[index]) return { columns: [], problem: describeUnknown(header), column: index }
    if (cells.indexOf(header) !== index)
      return { columns: [], problem: `two columns have the same name`, column: index }
  }
  return { columns: columns as Column[] }
}

function readColumn(header: string): Column | undefined {
  if (header.startsWith('document.')) return keyColumn(header.slice('document.'.length))
  if (header.startsWith('trait:')) return traitColumn(header.slice('trait:'.length))
  return allFields.has(header as keyof ProductTemplate) ? fieldColumn(header) : undefined
}

function describeUnknown(header: string): string {
  const near = findNearest(header.slice(0, 40), [...allFields])
  return `a column must be a field, document.… or trait:…${near ? `: did you mean ${near}?` : ''}`
}
