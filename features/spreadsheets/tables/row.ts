import {
  type DefaultValues,
  editableFields,
  type FieldName,
  columns as fields,
  type ProductTemplate,
  type TemplateValues
} from '../../../domain/columns.ts'
import { documentKeys, emptyDocument, isNumber, sharedFields } from '../../../domain/document.ts'
import { makeProblem, type Problem } from '../../../domain/validation/problem.ts'
import { isSameNumber } from '../notations/numbers.ts'
import { guardCell, readText, readValue, unguardCell, writeText } from './cell.ts'
import type { TableColumn } from './columns.ts'
import { convertCell } from './convert.ts'
import { DocumentCells, type JsonObject, parseTableDocument } from './document.ts'
import { type MappedColumn, numberKinds } from './mapping.ts'
import type { TableRow } from './table.ts'

/** A stored template that a row changes. */
export type StoredTemplate = TemplateValues & { id: number; revision?: number }

/** The values of a row for a template, and their problems. */
interface ReadRow {
  values: Record<string, unknown>
  /** The path of a problem ends with the column of its cell, unless the column is a field. */
  problems: Problem[]
}

/** A cell of the document, as `export` would write it. */
interface DocumentCell {
  column: MappedColumn
  cell: string
  /** The cell as it is in the table. */
  raw: string
}

/** Reads a template from the cells of a row. It is a new template, or the stored one with the values of the row. */
export function readRow(
  { cells, numbers, units }: Pick<TableRow, 'cells' | 'numbers' | 'units'>,
  columns: MappedColumn[],
  { stored, defaults = {} }: { stored?: StoredTemplate | undefined; defaults?: Partial<DefaultValues> }
): ReadRow {
  const row: ReadRow = {
    values: stored ? pickFields(stored) : { ...defaults },
    problems: []
  }
  const isOfExport = columns.every(({ as }) => as === 'value')
  const rest: DocumentCell[] = []
  for (const column of columns) {
    const raw = unguardCell(cells[column.index] ?? '')
    if (raw === '' && !isOfExport) continue
    const isData = column.kind === 'field' && column.name === 'data'
    const form = isData ? { ...column, as: 'value' as const } : column
    const shown = { isNumber: numbers?.includes(column.index), unit: units?.[column.index] }
    const found = convertCell(raw, form, shown)
    const { cell, problem } = (found.problem && stored && readStored(raw, column, stored, shown)) || found
    const path = column.kind === 'field' ? [column.name] : ['data', column.header]
    if (problem) row.problems.push(makeProblem('WRONG_TYPE', problem, ...path))
    if (cell === undefined) continue
    if (column.kind !== 'field') rest.push({ column, cell, raw })
    else if (isData) row.values.data = cell === '' ? undefined : cell
    else row.values[column.name] = readField(column.name as FieldName, cell)
  }
  const data = row.values.data ?? stored?.data
  if (data === undefined) {
    // If there is a column `data`, a row whose cells are all empty has no document.
    if (!('data' in row.values) || rest.some(({ cell }) => cell !== ''))
      row.values.data = buildDocument(
        isOfExport ? {} : emptyDocument(row.values.name, row.values.componentName),
        rest
      )
    return row
  }
  const document = parseTableDocument(String(data))
  row.values.data = data
  const hasRepeated = document && stored ? repeatFields(document, row.values, stored, columns) : false
  if (document && (changeDocument(document, rest) || hasRepeated))
    row.values.data = JSON.stringify(document, null, findIndent(String(data)))
  // Other problems of data are found later.
  const [filled] = document ? [] : rest.filter(({ cell }) => cell !== '')
  if (filled) row.problems.push(makeDocumentProblem(filled.column))
  return row
}

/** Reads a number that lacks a unit, if the stored template has the same one; undefined for any other cell. */
function readStored(
  raw: string,
  column: MappedColumn,
  { data }: StoredTemplate,
  shown: Parameters<typeof convertCell>[2]
): ReturnType<typeof convertCell> | undefined {
  const { kind, name, needsUnit } = column
  if (!needsUnit || kind === 'field') return undefined
  const plain = convertCell(raw, { ...column, needsUnit: false }, shown)
  const stored = new DocumentCells(parseTableDocument(data) ?? {}).valueOf(kind, name)
  return plain.cell !== undefined && isSame({ column, cell: plain.cell, raw }, stored) ? plain : undefined
}

const pickFields = (stored: StoredTemplate): Record<string, unknown> =>
  Object.fromEntries(['id' as const, ...editableFields].map(field => [field, stored[field]]))

const readField = (name: FieldName, cell: string): unknown =>
  fields[name].type === 'text' ? readText(cell) : readValue(cell)

/**
 * Repeats changed fields in a document where both had the same value, as the forms of the page do, and returns whether
 * there were any. A key with a column of its own has what its cell says.
 */
function repeatFields(
  document: JsonObject,
  values: Record<string, unknown>,
  stored: StoredTemplate,
  columns: MappedColumn[]
): boolean {
  const repeated = sharedFields.filter(field => {
    const key = documentKeys[field]
    const isChanged = typeof values[field] === 'string' && values[field] !== stored[field]
    return (
      isChanged &&
      document[key] === stored[field] &&
      !columns.some(({ kind, name }) => kind === 'key' && name === key)
    )
  })
  for (const field of repeated) document[documentKeys[field]] = values[field]
  return repeated.length > 0
}

function buildDocument(document: JsonObject, cells: DocumentCell[]): string {
  changeDocument(document, cells)
  document.attributes ??= []
  return JSON.stringify(document)
}

/** Changes a document where its cells differ, and returns whether any did. */
function changeDocument(document: JsonObject, cells: DocumentCell[]): boolean {
  let hasChanged = false
  // Keys first, because `attributes` may be one of them.
  for (const kind of ['key', 'trait'] as const) {
    const present = new DocumentCells(document)
    for (const given of cells) {
      const { column, cell } = given
      if (column.kind === kind && !isSame(given, present.valueOf(kind, column.name)))
        hasChanged = present.change(kind, column.name, cell) || hasChanged
    }
  }
  return hasChanged
}

/**
 * Whether a cell of a table other than an export has the same text as the value, or the same number, whatever its type.
 */
function isSame({ column: { as }, cell, raw }: DocumentCell, value: unknown): boolean {
  if (as === 'value' || !['string', 'number', 'boolean'].includes(typeof value)) return false
  const stored = String(value)
  if (numberKinds.includes(as)) return isNumber(stored) && isSameNumber(String(readText(cell)), stored)
  const text = raw.trim()
  return as === 'date' ? cell === stored : [text, text.replace(/^'(?=\d+$)/, '')].includes(stored)
}

/** Returns the indentation with which JSON.stringify writes this text. */
function findIndent(data: string): string | undefined {
  const [, indent] = /^[{[]\n([ \t]{1,10})\S/.exec(data) ?? []
  return indent
}

const makeDocumentProblem = ({ header }: TableColumn): Problem =>
  makeProblem('WRONG_TYPE', `data is not a JSON object, so ${header} must be empty`, 'data')

/** Writes the cells of the header. */
export const writeHeader = (columns: TableColumn[]): string[] =>
  columns.map(({ header }) => guardCell(header))

/** Writes the cells of a template. */
export function writeRow(template: ProductTemplate, columns: TableColumn[]): string[] {
  const document = new DocumentCells(parseTableDocument(template.data) ?? {})
  return columns.map(({ kind, name }) =>
    guardCell(kind === 'field' ? writeField(template, name) : document.write(kind, name))
  )
}

function writeField(template: ProductTemplate, name: string): string {
  const value = template[name as keyof ProductTemplate]
  return typeof value === 'string' && name !== 'data' ? writeText(value) : String(value ?? '')
}
