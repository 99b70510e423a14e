import { parseDocument } from '../../../domain/document.ts'
import { FormatError } from '../../../domain/format-error.ts'
import { apiWords, checkField } from '../../../domain/validation/fields.ts'
import { makeProblem, type Problem } from '../../../domain/validation/problem.ts'
import { hasMoreCharacters } from '../../../runtime/characters.ts'
import { parseInteger } from '../../../runtime/json-values.ts'
import { readText, readValue, unguardCell } from './cell.ts'
import { locateProblem } from './columns.ts'
import { convertCell } from './convert.ts'
import { type Key, type MappedColumn, type Mapping, mapColumns, targetOf, traitOfKey } from './mapping.ts'
import { readRow, type StoredTemplate } from './row.ts'
import { compareToHeader, isEmpty, type Table, type TableRow } from './table.ts'

/** Finds the stored templates whose key is one of these values; at most one more than {@link maxFound}. */
export type FindTemplates = (key: Key, values: string[]) => Promise<StoredTemplate[]>

/** A problem of a template, or of a row that cannot be read as one. */
type RowProblem = Omit<Problem, 'code'> & { code: Problem['code'] | 'UNREADABLE' }

/** A row of a table as a template, or the problems of the row. */
interface TableRecord {
  row: TableRow
  values?: Record<string, unknown>
  problems: RowProblem[]
  /** The stored template that the row changes. */
  stored?: StoredTemplate | undefined
  /** Returns the name of the column that has a problem. */
  findColumn: (problem: Pick<Problem, 'path' | 'pointer'>) => string | undefined
}

/** Number of rows whose templates are looked up together. */
const batchSize = 100
/** Maximum number of templates with the keys of these rows. A key that more have identifies nothing. */
export const maxFound = 1000
/** Maximum characters of a key. Filters take no longer text. */
const maxKeyLength = 1000

/** The keys of the rows that were read, in all tables of an import, with the place of each. */
export type SeenKeys = Map<string, RowPlace>

interface RowPlace {
  /** Absent if there is only one table. */
  file?: string | undefined
  line: number
}

/** Reads the rows of a table as templates. */
export async function* readTable(
  { names, header, rows }: Table,
  mapping: Mapping,
  find: FindTemplates,
  { file, seen = new Map() }: { file?: string | undefined; seen?: SeenKeys | undefined } = {}
): AsyncGenerator<TableRecord> {
  const { key } = mapping
  const columns = mapColumns(names, mapping, header.line)
  const keyColumn = columns.find(({ header }) => key && mapping.columns[header]?.to === targetOf(key))
  const repeatsHeader = compareToHeader(header)
  const reading: Reading = { mapping, columns, keyColumn, names, repeatsHeader, file, seen }
  let batch: TableRow[] = []
  for await (const row of rows) {
    if (isEmpty(row)) continue
    batch.push(row)
    if (batch.length < batchSize) continue
    yield* await readBatch(batch, reading, find)
    batch = []
  }
  yield* await readBatch(batch, reading, find)
}

/** The context for reading the rows of a table. */
interface Reading {
  mapping: Mapping
  columns: MappedColumn[]
  keyColumn: MappedColumn | undefined
  /** The names of all columns. */
  names: string[]
  repeatsHeader: (row: TableRow) => boolean
  file: string | undefined
  seen: SeenKeys
}

/** Finds the stored templates that rows change, and reads the rows. */
async function readBatch(rows: TableRow[], reading: Reading, find: FindTemplates): Promise<TableRecord[]> {
  const { key } = reading.mapping
  const values = rows.map(row => readRowKey(row, reading))
  const wanted = new Set(
    values.filter(value => value !== undefined && value.length <= maxKeyLength) as string[]
  )
  const found = key && wanted.size > 0 ? await find(key, [...wanted]) : []
  if (key && found.length > maxFound)
    throw new FormatError(
      `more than ${maxFound} templates have the same ${nameKey(key)}: choose another key`,
      {
        line: rows[0]?.line ?? 1
      }
    )
  const stored = new Map<string, StoredTemplate[]>()
  for (const template of found)
    for (const value of readTemplateKeys(template, key as Key))
      stored.set(value, [...(stored.get(value) ?? []), template])
  return rows.map((row, at) => {
    const value = values[at]
    return readMatched(row, value, value === undefined ? [] : (stored.get(value) ?? []), reading)
  })
}

/** Reads a row. `value` is its key, and `templates` are the stored templates with this key. */
function readMatched(
  row: TableRow,
  value: string | undefined,
  templates: StoredTemplate[],
  { mapping, columns, keyColumn, names, repeatsHeader, file, seen }: Reading
): TableRecord {
  const refuse = (message: string, column?: string): TableRecord => ({
    row,
    problems: [makeProblem('UNREADABLE', message)],
    findColumn: () => column
  })
  const { key, defaults, isOfExport = false } = mapping
  const { length: width } = names
  if (row.cells.slice(width).some(cell => cell !== ''))
    return refuse(`the row has ${row.cells.length} cells and the header ${width}`)
  if (repeatsHeader(row)) return refuse('the row repeats the header')
  // The mapping of an export leaves out only the columns without a name.
  if (isOfExport && row.cells.some((cell, at) => cell.trim() !== '' && !mapping.columns[names[at] as string]))
    return refuse('the row has a value in a column without a name')
  // Spreadsheets leave out empty cells at the end of a row. In an export, they may also be lost with the end of the
  // file.
  if (isOfExport && row.isLast && row.cells.length < width) return refuse('the file ends inside this row')
  const [template] = templates
  const { values, problems } = readRow(row, columns, { stored: template, defaults })
  const fault =
    key && (findKeyFault(key, value, templates) ?? findFirst(key, value, { file, line: row.line }, seen))
  if (key && !fault && template && values.id !== template.id)
    return refuse(`the template with this ${nameKey(key)} has another id`, keyColumn?.header)
  // Beside the problems of other cells, so that all can be corrected at once.
  const keyProblems = fault ? [makeProblem('UNREADABLE', fault, 'data', keyColumn?.header ?? '')] : []
  const findColumn: TableRecord['findColumn'] = problem =>
    problem.path[1] ?? locateProblem(problem, columns, values.data)
  return { row, values, problems: [...keyProblems, ...problems], stored: template, findColumn }
}

/** Returns why a row has no key, or one that does not find a single template. */
function findKeyFault(key: Key, value: string | undefined, templates: StoredTemplate[]): string | undefined {
  // An export has no id of new templates, and a missing name is a problem that is found later.
  if (value === undefined)
    return key === 'id' || key === 'name' ? undefined : 'needs a value, because it is the key'
  if (hasMoreCharacters(value, maxKeyLength))
    return `is too long for a key: at most ${maxKeyLength} characters`
  if (templates.length > 1) return `${templates.length} templates have this ${nameKey(key)}`
  return templates[0] && readTemplateKeys(templates[0], key).length > 1
    ? `the template has several values of ${nameKey(key)}`
    : undefined
}

/** Returns whether a row before has the same key, as a sentence. */
function findFirst(
  key: Key,
  value: string | undefined,
  { file, line }: RowPlace,
  seen: SeenKeys
): string | undefined {
  if (value === undefined || key === 'id') return undefined
  const first = seen.get(value)
  if (!first) seen.set(value, { file, line })
  const other = first?.file === file ? '' : ` of ${first?.file}`
  return first && `${value} is in row ${first.line}${other}, too`
}

const nameKey = (key: Key): string => traitOfKey(key) ?? key

/** Returns the key of a row as a text; undefined if it has none. */
function readRowKey(
  { cells }: TableRow,
  { mapping: { key }, keyColumn: column }: Reading
): string | undefined {
  if (!column) return undefined
  const { cell = '' } = convertCell(unguardCell(cells[column.index] ?? ''), column)
  const value = key === 'name' ? readText(cell) : readValue(cell)
  // A wrong id is a problem that is found later.
  if (key === 'id' && checkField('id', value, apiWords)) return undefined
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined
}

/** Returns the key of a stored template; several if it has the trait several times. */
export function readTemplateKeys(template: StoredTemplate, key: Key): string[] {
  const trait = traitOfKey(key)
  if (trait === undefined && key !== 'productId') return [String(template[key as 'id' | 'name'])]
  const { productId, attributes = [] } = parseDocument(template.data) ?? {}
  if (trait === undefined) return [String(productId)]
  return attributes.filter(({ traitType }) => traitType === trait).map(({ value }) => String(value))
}

/** Returns the values of a trait that a key of this text may have: a text, or a whole number. */
export const toKeyValues = (keys: string[]): (string | number)[] =>
  keys.flatMap(key => [key, parseInteger(key) ?? []].flat())
