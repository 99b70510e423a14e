import { writeXlsxStream } from 'hucre/xlsx'
import { FormatError } from '../../../../domain/format-error.ts'
import { parseInteger } from '../../../../runtime/json-values.ts'

/** Maximum characters of a cell. */
const maxCellLength = 32_767
/** Maximum rows of a sheet below its header. */
const maxRows = 2 ** 20 - 1

/**
 * Writes a workbook with one sheet, in bounded memory. Throws FormatError if it has too many rows or a cell is too
 * long.
 */
export async function* writeXlsx(
  headers: string[],
  rows: AsyncIterable<string[]> | Iterable<string[]>
): AsyncGenerator<Uint8Array> {
  async function* cells() {
    let count = 0
    for await (const row of rows) {
      if (++count > maxRows) throw new FormatError(`XLSX has at most ${maxRows} rows: export CSV`)
      yield row.map((cell, index) => toCell(cell, headers[index]))
    }
  }
  const columns = headers.map(header => ({ header: escapeCell(header) }))
  yield* writeXlsxStream(cells(), { name: 'Templates', columns, freezePane: { rows: 1 } })
}

/** Spreadsheets keep 15 digits of a number. */
const endOfExact = 1e15

/** Converts a cell. An integer becomes a number if the spreadsheet can keep it exactly. */
function toCell(cell: string, column: string | undefined): string | number | null {
  if (cell.length > maxCellLength) {
    const instead = column === 'data' ? 'export CSV, or without data' : 'export CSV'
    throw new FormatError(
      `a cell of ${column} has more than the ${maxCellLength} characters of XLSX: ${instead}`
    )
  }
  if (cell === '') return null
  const number = parseInteger(cell)
  return number !== undefined && Math.abs(number) < endOfExact ? number : escapeCell(cell)
}

/** Escapes `_x0041_`, which spreadsheets would read as A, and the characters that XML 1.0 cannot have. */
const escapeCell = (cell: string): string =>
  cell
    .replaceAll(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replaceAll('\ufffe', '_xFFFE_')
    .replaceAll('\uffff', '_xFFFF_')
