import { formatCount } from '../format.ts'
import type { CellText } from './changes.ts'
import type { Control } from './keys.ts'
import { writeText } from './values.ts'

/** The rows and columns of the selected cells, both ends included. */
interface Range {
  top: number
  bottom: number
  left: number
  right: number
}

type Grid = Pick<Control, 'list' | 'cells' | 'columns'>

/** Rows that a range or a paste may have, and characters of a paste. */
export const maxRows = 1000
const maxCharacters = 2_000_000

/** Returns the place of the active cell, or of the other end of the range. */
export function findPlace({ list, cells, columns }: Grid, end: 'active' | 'anchor' = 'active') {
  const { id, key } = cells[end].value ?? {}
  const row = list.entries.value.findIndex(entry => entry.id === id)
  const column = columns.findIndex(column => column.key === key)
  return { row: Math.max(0, row), column: Math.max(0, column), isKnown: row >= 0 && column >= 0 }
}

/** Returns the selected cells: the range, or the active cell. */
export function findRange(grid: Grid): Range {
  const to = findPlace(grid)
  const anchor = findPlace(grid, 'anchor')
  const from = anchor.isKnown ? anchor : to
  return {
    top: Math.min(from.row, to.row),
    bottom: Math.max(from.row, to.row),
    left: Math.min(from.column, to.column),
    right: Math.max(from.column, to.column)
  }
}

/** Lists the selected cells, row by row. */
function listCells(grid: Grid, { top, bottom, left, right }: Range): Omit<CellText, 'text'>[][] {
  const columns = grid.columns.slice(left, right + 1)
  return grid.list.entries.value
    .slice(top, Math.min(bottom, top + maxRows - 1) + 1)
    .map(({ item }) => columns.map(column => ({ item, column })))
}

/** Returns the selected cells as a text for other programs. */
export function copyRange(grid: Grid): string {
  const rows = listCells(grid, findRange(grid))
  const missing = rows.filter(([first]) => !first?.item).length
  grid.cells.changes.say(
    missing > 0
      ? `${formatCount(missing)} of the rows are too far away: scroll to them first.`
      : `Copied: ${formatCount(rows.flat().length)} cells.`
  )
  return writeTsv(rows.map(row => row.map(({ item, column }) => (item ? writeText(item, column) : ''))))
}

/** Empties the selected cells. */
export const emptyRange = (grid: Grid): Promise<void> =>
  grid.cells.changes.apply(
    listCells(grid, findRange(grid))
      .flat()
      .map(cell => ({ ...cell, text: '' }))
  )

/** Copies the first row of the range into its other rows. */
export async function fillDown(grid: Grid): Promise<void> {
  const [first = [], ...others] = listCells(grid, findRange(grid))
  const texts = first.map(({ item, column }) => (item ? writeText(item, column) : ''))
  if (others.length === 0) grid.cells.changes.say('Select the cells below, too: Shift and the arrow keys.')
  else
    await grid.cells.changes.apply(
      others.flatMap(row => row.map((cell, index) => ({ ...cell, text: texts[index] ?? '' })))
    )
}

/** Changes the cells from the first selected one on to the texts of other programs. One text fills the range. */
export async function pasteRange(grid: Grid, text: string): Promise<void> {
  const { changes } = grid.cells
  const rows = text.length > maxCharacters ? [] : readTsv(text)
  if (rows.length === 0 || rows.length > maxRows)
    return changes.say(`Too much to paste: at most ${formatCount(maxRows)} rows. Use “Import”.`)
  const range = findRange(grid)
  const [[only = ''] = []] = rows
  if (rows.length === 1 && rows[0]?.length === 1)
    return changes.apply(
      listCells(grid, range)
        .flat()
        .map(cell => ({ ...cell, text: only }))
    )
  const { top, left } = range
  const texts = rows.flatMap((row, down) =>
    row.flatMap((text, along) => {
      const column = grid.columns[left + along]
      return column ? { item: grid.list.entries.value[top + down]?.item, column, text } : []
    })
  )
  return changes.apply(texts, rows.flat().length - texts.length)
}

/** Cells as text between programs: tabs between cells, line breaks between rows, quotes around what has one of them. */

const writeTsv = (rows: string[][]): string => rows.map(row => row.map(quote).join('\t')).join('\n')

const quote = (text: string): string => (/[\t\r\n]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A cell with what follows it. Spreadsheets quote only a cell that needs it, so `"Lamp"` keeps its quotes. */
const cell = /(?:"((?=[^"]*(?:[\t\r\n]|""))(?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n?|\n|$)/y

function readTsv(text: string): string[][] {
  const rows: string[][] = [[]]
  // The last line break ends the last row.
  const whole = text.replace(/(?:\r\n?|\n)$/, '')
  cell.lastIndex = 0
  for (;;) {
    const [, quoted, plain = '', end = ''] = cell.exec(whole) ?? []
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '') return rows
    if (end !== '\t') rows.push([])
  }
}
