import { type FieldName, columns as fields, type ProductTemplate } from '../db/templates/table/columns.ts'
import type { Problem } from '../db/templates/validation/problem.ts'
import { guardCell, readText, readValue, unguardCell, writeText } from './cell.ts'
import type { Column } from './columns.ts'
import { DocumentCells, type JsonObject, parseDocument } from './document.ts'

/** Reads a record from the cells of a row. */
export function readRow(
  cells: string[],
  columns: Column[]
): { values: Record<string, unknown>; problems?: Problem[] } {
  const values: Record<string, unknown> = {}
  const rest: [Column, cell: string][] = []
  for (const [index, column] of columns.entries()) {
    const cell = unguardCell(cells[index] ?? '')
    if (column.kind !== 'field') rest.push([column, cell])
    else if (column.name === 'data') values.data = cell === '' ? undefined : cell
    else {
      const isText = fields[column.name as FieldName].type === 'text'
      values[column.name] = isText ? readText(cell) : readValue(cell)
    }
  }
  if (values.data === undefined) {
    if (rest.some(([, cell]) => cell !== '')) values.data = buildDocument(rest)
    return { values }
  }
  const data = String(values.data)
  const document = parseDocument(data)
  if (document) {
    if (changeDocument(document, rest)) values.data = JSON.stringify(document, null, findIndent(data))
    return { values }
  }
  // Other problems of data are found later.
  const [column] = rest.find(([, cell]) => cell !== '') ?? []
  return column ? { values, problems: [withoutDocument(column)] } : { values }
}

/** Builds a document from cells only. */
function buildDocument(cells: [Column, cell: string][]): string {
  const document: JsonObject = {}
  changeDocument(document, cells)
  document.attributes ??= []
  return JSON.stringify(document)
}

/** Changes a document where its cells differ; returns whether they did. */
function changeDocument(document: JsonObject, cells: [Column, cell: string][]): boolean {
  const inKeys = new DocumentCells(document)
  const keys = cells.filter(([{ kind, name }, cell]) => kind === 'key' && inKeys.changeKey(name, cell))
  // The attributes may have changed.
  const inTraits = keys.length > 0 ? new DocumentCells(document) : inKeys
  const traits = cells.filter(
    ([{ kind, name }, cell]) => kind === 'trait' && inTraits.changeTrait(name, cell)
  )
  return keys.length + traits.length > 0
}

/** Returns the indentation with which JSON.stringify writes this text. */
function findIndent(data: string): string | undefined {
  const [, indent] = /^[{[]\n([ \t]{1,10})\S/.exec(data) ?? []
  return indent
}

const withoutDocument = ({ header }: Column): Problem => ({
  code: 'WRONG_TYPE',
  message: `data is not a JSON object, so ${header} must be empty`,
  path: ['data'],
  pointer: null
})

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
  return typeof value === 'string' && name !== 'data' ? writeText(value) : String(value ?? '')
}
