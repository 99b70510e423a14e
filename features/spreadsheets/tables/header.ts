/** Finds the header of a table, which titles and rows of groups may precede. */
import { hasForm } from '../notations/guess.ts'
import { isSheetError } from './cell.ts'
import type { TableRow } from './table.ts'

/** Returns the index of the header among the first rows of a table, which are not empty. */
export function findHeader(first: TableRow[]): number {
  // A row with one cell may be a title, or the line `sep=;` of spreadsheets, if most rows have more cells.
  const isTitled = isSingle(first[0]) && first.filter(row => !isSingle(row)).length > first.length / 2
  const start = isTitled ? first.findIndex(row => !isSingle(row)) : 0
  const found = first.findIndex((_, at) => at > start && isBelowGroups(first, start, at))
  return found === -1 ? start : found
}

/**
 * Whether a row is the header, and the rows from `start` on are titles or groups. It has a text for each column with
 * values, the first row lacks some of them, and most values of a column are numbers, dates or links.
 */
function isBelowGroups(first: TableRow[], start: number, at: number): boolean {
  const row = joinGroups(first, at)
  const { cells } = row
  const below = first.slice(at + 1)
  const isMissing = (index: number) => isBlank(cells[index])
  const lacks = cells.filter((cell, index) => !isBlank(cell) && isBlank(first[start]?.cells[index]))
  // A cell of several rows, or one above an empty one, shows that both rows are parts of the header.
  const isMerged = !isBlank(cells[0]) && cells[0] === first[start]?.cells[0]
  const isPart = at === start + 1 && (isMerged || row !== first[at])
  if (lacks.length < (isPart ? 1 : 2) || cells.some(isValue)) return false
  if (below.some(row => row.cells.some((cell, index) => !isBlank(cell) && isMissing(index)))) return false
  return cells.some((_, index) => {
    const values = below.map(row => row.cells[index]).filter(cell => !isBlank(cell))
    return values.length > 0 && values.filter(isValue).length > values.length / 2
  })
}

/** Returns the row at an index. Where it begins with an empty cell, its names may be in the row of groups above. */
export function joinGroups(first: TableRow[], at: number): TableRow {
  const row = first[at] ?? { cells: [], line: 1 }
  const above = first[at - 1]
  if (!above || isSingle(above) || !isBlank(row.cells[0]) || isBlank(above.cells[0])) return row
  const length = Math.max(row.cells.length, above.cells.length)
  const cells = Array.from({ length }, (_, index) =>
    isBlank(row.cells[index]) ? (above.cells[index] ?? '') : (row.cells[index] as string)
  )
  return { ...row, cells }
}

const isBlank = (cell = ''): boolean => cell.trim() === ''

const isSingle = (row: TableRow | undefined): boolean =>
  row?.cells.filter(cell => !isBlank(cell)).length === 1

/** Whether a cell is no text, so that it is no name of a column. */
function isValue(cell = ''): boolean {
  const text = cell.trim()
  return (
    isSheetError(text) || (['decimal', 'money', 'date', 'link'] as const).some(kind => hasForm(kind, text))
  )
}
