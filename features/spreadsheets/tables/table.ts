/** A row of a table with its place. */
export interface TableRow {
  cells: string[]
  /** The number of the first line in CSV, or of the row in a spreadsheet, from 1. */
  line: number
  /** Whether the file ends in this row without a line break. */
  isLast?: boolean
  /** The indexes of cells that a workbook has as numbers: they have a point, whatever the notation of their column. */
  numbers?: number[]
}

/** The options for reading the file of a table. */
export interface ReadOptions {
  /** The sheet of a workbook; by default the first visible one. */
  sheet?: string | undefined
  /** The encoding of a text; by default it is guessed. */
  encoding?: string | undefined
  /** Called with a message about each assumption on the file. */
  note?: ((message: string) => void) | undefined
}

/** Whether all cells of a row are empty. */
export const isEmpty = ({ cells }: TableRow): boolean => cells.every(cell => cell.trim() === '')

/**
 * Makes unique names for the columns of a header. An empty cell gets its number as a name, and a repeated name gets a
 * number.
 */
export function nameColumns(header: string[]): string[] {
  const names = new Set<string>()
  for (const [index, cell] of header.entries()) {
    const name = cell.trim() || `Column ${index + 1}`
    let unused = name
    for (let count = 2; names.has(unused); count++) unused = `${name} (${count})`
    names.add(unused)
  }
  return [...names]
}
