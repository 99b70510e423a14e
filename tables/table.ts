/** A row of a table, and where it is. */
export interface TableRow {
  cells: string[]
  /** The number of its first line in CSV or of the row in a spreadsheet, from 1. */
  line: number
}

/** A file of templates, or the rest of it, cannot be read. */
export class Unreadable extends Error {
  /** From 1. */
  readonly line: number | undefined
  /** The header of a column. */
  readonly column: string | undefined
  constructor(message: string, { line, column }: { line?: number; column?: string | undefined } = {}) {
    super(message)
    this.line = line
    this.column = column
  }
}

/** The same of a table. */
export class TableError extends Unreadable {}

/** Whether a row has nothing in it. */
export const isEmpty = ({ cells }: TableRow): boolean => cells.every(cell => cell.trim() === '')

/** Names the columns of a header, each differently: an empty cell by its number, a repeated name with a number. */
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
