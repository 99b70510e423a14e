import { fieldNames, type ProductTemplate } from '../db/templates/table/columns.ts'
import { readPointer } from '../db/templates/validation/problem.ts'
import { findNearest } from '../options/nearest.ts'
import { readText, writeText } from './cell.ts'
import { DocumentCells, parseTableDocument } from './document.ts'
import { FormatError } from './table.ts'

const fields: string[] = fieldNames

/** A column: a field, a key of the document, or a trait. */
export interface TableColumn {
  header: string
  kind: 'field' | 'key' | 'trait'
  name: string
}

const makeFieldColumn = (name: string): TableColumn => ({ header: name, kind: 'field', name })

const prefixes = { key: 'document.', trait: 'trait:' }

/** Makes the column of a key of the document or of a trait. */
const makeDocumentColumn = (kind: 'key' | 'trait', name: string): TableColumn => ({
  header: prefixes[kind] + writeName(name),
  kind,
  name
})

/** Writes a name as a text in a cell. An empty name has no quotes. */
const writeName = (name: string): string => name && writeText(name)
const readName = (text: string): string => readText(text) ?? ''

/** Reads the header of a column as `export` writes it; undefined for any other header. */
export function readColumn(header: string): TableColumn | undefined {
  for (const kind of ['key', 'trait'] as const)
    if (header.startsWith(prefixes[kind]))
      return makeDocumentColumn(kind, readName(header.slice(prefixes[kind].length)))
  return fields.includes(header) ? makeFieldColumn(header) : undefined
}

/** Describes why {@link readColumn} does not know a header. */
export function describeUnknown(header: string): string {
  const near = findNearest(header.slice(0, 40), fields)
  return `a column must be a field, document.… or trait:…${near ? `: did you mean ${near}?` : ''}`
}

/** Returns the header of the column that has a problem; undefined if no column has it. */
export function locateProblem(
  { path: [field = ''], pointer }: { path: string[]; pointer: string | null },
  columns: TableColumn[],
  data: unknown
): string | undefined {
  const find = (kind: TableColumn['kind'], name: unknown) =>
    columns.find(column => column.kind === kind && column.name === name)?.header
  if (field !== 'data') return find('field', field)
  const [key = '', index] = readPointer(pointer ?? '')
  const trait = key === 'attributes' && index !== undefined ? findTrait(data, Number(index)) : undefined
  return find('trait', trait) ?? find('key', key) ?? find('field', 'data')
}

function findTrait(data: unknown, index: number): unknown {
  try {
    return JSON.parse(String(data)).attributes[index].trait_type
  } catch {
    return undefined
  }
}

const plainFields = fieldNames.filter(field => field !== 'data')
const usualKeys = ['productId', 'description', 'external_url', 'image', 'name', 'component']

/** Maximum number of columns that spreadsheets can open. */
const maxColumns = 16_384

/** Finds the columns that all templates need. Throws FormatError if they are too many. */
export async function findColumns(
  pages: AsyncIterable<ProductTemplate[]>,
  withoutData = false
): Promise<TableColumn[]> {
  const found = { keys: new Set(usualKeys), traits: new Set<string>() }
  for await (const templates of pages) {
    for (const { data } of templates) {
      const document = parseTableDocument(data)
      if (!document) continue
      const cells = new DocumentCells(document)
      for (const key of cells.keys) found.keys.add(key)
      for (const trait of cells.traits) found.traits.add(trait)
    }
    if (found.keys.size + found.traits.size > maxColumns)
      throw new FormatError(`the table would have more than ${maxColumns} columns: export ndjson`)
  }
  return [
    ...plainFields.map(makeFieldColumn),
    ...Array.from(found.keys, name => makeDocumentColumn('key', name)),
    ...Array.from(found.traits, name => makeDocumentColumn('trait', name)),
    ...(withoutData ? [] : [makeFieldColumn('data')])
  ]
}
