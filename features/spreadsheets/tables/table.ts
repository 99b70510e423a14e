import { FormatError } from '../../../domain/format-error.ts'

/** A row of a table with its place. */
export interface TableRow {
  cells: string[]
  /** The number of the first line in CSV, or of the row in a spreadsheet, from 1. */
  line: number
  /** Whether the file ends in this row without a line break. */
  isLast?: boolean
  /** The indexes of cells that a workbook has as numbers: they have a point, whatever the notation of their column. */
  numbers?: number[]
  /** Whether the workbook does not show it. */
  isHidden?: boolean
  /** The currencies and units that a workbook shows beside numbers, by the indexes of the cells. */
  units?: Record<number, string>
}

/** The options for reading the file of a table. */
export interface ReadOptions {
  /** The sheet of a workbook; by default the largest visible one. */
  sheet?: string | undefined
  /** Whether to read the rows that the workbook hides. */
  hiddenRows?: boolean | undefined
  /** The line of the header; by default it is guessed. */
  header?: number | undefined
  /** The encoding of a text; by default it is guessed. */
  encoding?: string | undefined
  /** Called with a message about each assumption on the file. */
  note?: ((message: string) => void) | undefined
}

/** Whether all cells of a row are empty. */
export const isEmpty = ({ cells }: TableRow): boolean => cells.every(cell => cell.trim() === '')

/** Number of rows in which the header is guessed. */
const rowsToGuessHeader = 10
/** Number of rows of which a person may choose the header. */
const rowsToChooseHeader = 20

/** The last column of a file with skipped rows says why each was skipped. It is not read. */
export const reasonColumn = 'Why this row was skipped'

/** A table whose header has been read. */
export interface Table {
  /** The names of its columns, all different. */
  names: string[]
  header: TableRow
  /** The first rows, one of which is the header. */
  first: TableRow[]
  rows: AsyncIterable<TableRow>
}

/** Reads the header of a table: the row in this line, or else the first one that is not a title. Throws FormatError. */
export async function openTable(rows: AsyncGenerator<TableRow>, line?: number): Promise<Table> {
  const first: TableRow[] = []
  let failure: unknown
  try {
    while (first.length < rowsToChooseHeader || (line !== undefined && (first.at(-1)?.line ?? 0) < line)) {
      const { value, done } = await rows.next()
      if (done) break
      if (!isEmpty(value)) first.push(value)
    }
  } catch (error) {
    failure = error
  }
  const at = line === undefined ? guessHeader(first) : first.findIndex(row => row.line === line)
  if (failure && !first[at]) throw failure
  if (at === -1) throw new FormatError('there is no row to be the header', { line: line as number })
  const whole = first[at] ?? { cells: [], line: 1 }
  const width = whole.cells.length - 1
  const withoutReason = (row: TableRow) =>
    whole.cells[width] === reasonColumn ? { ...row, cells: row.cells.slice(0, width) } : row
  const header = withoutReason(whole)
  async function* rest() {
    for (const row of first.slice(at + 1)) yield withoutReason(row)
    // Behind the rows before it, whose problems are found first.
    if (failure) throw failure
    for await (const row of rows) yield withoutReason(row)
  }
  return { names: nameColumns(header.cells), header, first, rows: rest() }
}

/** Returns the index of the header among the first rows of a table, which are not empty. */
function guessHeader(all: TableRow[]): number {
  const first = all.slice(0, rowsToGuessHeader)
  // A row with one cell may be a title, or the line `sep=;` of spreadsheets, if most rows below it have more cells.
  const isTitled = isSingle(first[0]) && first.filter(row => !isSingle(row)).length > first.length / 2
  return isTitled ? first.findIndex(row => !isSingle(row)) : 0
}

const isSingle = (row: TableRow | undefined): boolean =>
  row?.cells.filter(cell => cell.trim() !== '').length === 1

/** Makes a function that tells whether a row repeats the header, as tables do that have it on each printed page. */
export function compareToHeader(header: TableRow): (row: TableRow) => boolean {
  const names = header.cells.map(cell => cell.trim())
  return ({ cells }) => names.length > 1 && names.every((name, at) => (cells[at] ?? '').trim() === name)
}

/**
 * Makes unique names for the columns of a header. An empty cell gets its number as a name, and a repeated name gets a
 * number.
 */
function nameColumns(header: string[]): string[] {
  const names = new Set<string>()
  for (const [index, cell] of header.entries()) {
    const name = cell.trim() || `Column ${index + 1}`
    let unused = name
    for (let count = 2; names.has(unused); count++) unused = `${name} (${count})`
    names.add(unused)
  }
  return [...names]
}
