import type { TableRow } from '../table.ts'

/** A merged range: the column of its value, and its last row, from 1. */
interface Range {
  column: number
  last: number
}

const range = /<(?:\w+:)?mergeCell\s[^<>]*?\bref=["']([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})["']/g
/** Maximum characters of the tag of a range. */
const maxTagLength = 1000

/**
 * Reads the ranges of several rows by their first row. They come after the cells, so the part is read once for them.
 */
export async function readMergedRanges(part: AsyncIterable<Uint8Array>): Promise<Map<number, Range[]>> {
  const ranges = new Map<number, Range[]>()
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of part) {
    rest += decoder.decode(chunk, { stream: true })
    let end = 0
    for (const { index, 0: tag, 1: letters = '', 2: first, 3: last } of rest.matchAll(range)) {
      end = index + tag.length
      if (last === first) continue
      const begun = ranges.get(Number(first)) ?? []
      begun.push({ column: readColumn(letters), last: Number(last) })
      ranges.set(Number(first), begun)
    }
    rest = rest.slice(Math.max(end, rest.length - maxTagLength))
  }
  return ranges
}

/** Makes a function that gives each row of a merged range the value that the spreadsheet shows for all of them. */
export function fillMergedCells(ranges: Map<number, Range[]>): (row: TableRow) => TableRow {
  const open = new Map<
    number,
    { text: string; last: number; isNumber: boolean | undefined; unit: string | undefined }
  >()
  return row => {
    const { cells, line } = row
    for (const [column, { text, last, isNumber, unit }] of open)
      if (line > last) open.delete(column)
      else if (text !== '') {
        while (cells.length < column) cells.push('')
        if (cells[column - 1]) continue
        cells[column - 1] = text
        if (isNumber) row.numbers = [...(row.numbers ?? []), column - 1]
        if (unit) row.units = { ...row.units, [column - 1]: unit }
      }
    for (const { column, last } of ranges.get(line) ?? [])
      open.set(column, {
        ...{ text: cells[column - 1] ?? '', last },
        isNumber: row.numbers?.includes(column - 1),
        unit: row.units?.[column - 1]
      })
    return row
  }
}

/** Reads the number of a column from 1, such as 27 from `AA` or `AA5`. */
export function readColumn(place: string): number {
  let column = 0
  for (const letter of place.toUpperCase()) {
    if (letter < 'A' || letter > 'Z') break
    column = column * 26 + letter.charCodeAt(0) - 64
  }
  return column === 0 ? Number.NaN : column
}
