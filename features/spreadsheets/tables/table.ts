/** A row of a table with its place. */
export interface TableRow {
  cells: string[]
  /** The number of the first line in CSV, or of the row in a spreadsheet, from 1. */
  line: number
  /** Whether the file ends in this row without a line break. */
  isLast?: boolean
  /** The indexes of cells that a workbook has as numbers: they have a point, whatever the notation of their column. */
  numbers?: number[]
  /** The currencies and units that a workbook shows beside numbers, by the indexes of the cells. */
  units?: Record<number, string>
}

/** The options for reading the file of a table. */
export interface ReadOptions {
  /** The sheet of a workbook; by default the largest visible one. */
  sheet?: string | undefined
  /** The encoding of a text; by default it is guessed. */
  encoding?: string | undefined
  /** Called with a message about each assumption on the file. */
  note?: ((message: string) => void) | undefined
}

/** Whether all cells of a row are empty. */
export const isEmpty = ({ cells }: TableRow): boolean => cells.every(cell => cell.trim() === '')

/** Maximum number of rows in which the header is looked for. */
const maxRowsToHeader = 10

/** The last column of a file with skipped rows says why each was skipped. It is not read. */
export const reasonColumn = 'Why this row was skipped'

/** A table whose header has been read. The header is the first row that is neither empty nor a title. */
export interface Table {
  /** The names of its columns, all different. */
  names: string[]
  header: TableRow
  rows: AsyncIterable<TableRow>
}

/** Reads the header of a table. */
export async function openTable(rows: AsyncGenerator<TableRow>): Promise<Table> {
  const first: TableRow[] = []
  // A row with one cell may be a title, or the line `sep=;` of spreadsheets, if most rows below it have more cells.
  do {
    let next = await rows.next()
    while (!next.done && isEmpty(next.value)) next = await rows.next()
    if (next.done) break
    first.push(next.value)
  } while (isSingle(first[0]) && first.length < maxRowsToHeader)
  const isTitled = isSingle(first[0]) && first.filter(row => !isSingle(row)).length > first.length / 2
  const at = isTitled ? first.findIndex(row => !isSingle(row)) : 0
  const whole = first[at] ?? { cells: [], line: 1 }
  const width = whole.cells.length - 1
  const withoutReason = (row: TableRow) =>
    whole.cells[width] === reasonColumn ? { ...row, cells: row.cells.slice(0, width) } : row
  const header = withoutReason(whole)
  async function* rest() {
    for (const row of first.slice(at + 1)) yield withoutReason(row)
    for await (const row of rows) yield withoutReason(row)
  }
  return { names: nameColumns(header.cells), header, rows: rest() }
}

const isSingle = (row: TableRow | undefined): boolean =>
  row?.cells.filter(cell => cell.trim() !== '').length === 1

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
