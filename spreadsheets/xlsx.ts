import { readXlsx as readWorkbook, streamXlsxRows, writeXlsxStream } from 'hucre/xlsx'
import { parseInteger } from '../json-values.ts'
import { FormatError, type TableRow } from './table.ts'

/** Maximum bytes of all unpacked parts of a workbook. */
const maxUnpackedBytes = 2 ** 29

/**
 * Reads the rows of a sheet, by default of the first one. A formula is read as its computed value, a date as an ISO
 * 8601 text. Throws FormatError.
 */
export async function* readXlsx(workbook: Uint8Array, sheet?: string): AsyncGenerator<TableRow> {
  checkSize(workbook)
  if (sheet !== undefined && !(await listSheets(workbook)).includes(sheet))
    throw new FormatError(`the workbook has no sheet ${sheet}`)
  let width = 0
  try {
    for await (const { index, values } of streamXlsxRows(workbook, sheet === undefined ? {} : { sheet })) {
      width = Math.max(width, values.length)
      // Rows end after their last value, so shorter rows are filled up.
      yield { cells: Array.from({ length: width }, (_, at) => toText(values[at] ?? null)), line: index + 1 }
    }
  } catch (error) {
    throw makeReadError(error)
  }
}

/** Lists the names of the sheets. Throws FormatError. */
export async function listSheets(workbook: Uint8Array): Promise<string[]> {
  checkSize(workbook)
  const names: string[] = []
  const note = ({ name }: { name: string }) => names.push(name) < 0
  await readWorkbook(workbook, { sheets: note }).catch(error => {
    throw makeReadError(error)
  })
  return names
}

const makeReadError = (error: unknown): FormatError =>
  new FormatError(`the workbook cannot be read: ${(error as Error).message}`)

function toText(value: string | number | boolean | Date | null): string {
  if (typeof value === 'number') return String(Number(value.toPrecision(15)))
  if (value instanceof Date) return value.toISOString().replace(/(T00:00:00)?\.000Z$/, '')
  return String(value ?? '')
}

/** Maximum characters of a cell. */
const maxCellLength = 32_767
/** Maximum rows of a sheet below its header. */
const maxRows = 2 ** 20 - 1

/** Writes a workbook with one sheet, in bounded memory. Throws FormatError if it has too many rows or a cell is too long. */
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

/** Escapes `_x0041_`, which spreadsheets would read as A. */
const escapeCell = (cell: string): string => cell.replaceAll(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')

const endOfDirectory = 0x06054b50
const entryOfDirectory = 0x02014b50

/** Adds up the sizes in the directory of the ZIP file. The reader unpacks no more than these sizes. */
function checkSize(zip: Uint8Array): void {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength)
  let end = zip.length - 22
  while (end >= 0 && view.getUint32(end, true) !== endOfDirectory) end--
  if (end < 0) throw new FormatError('the file is no XLSX workbook')
  let size = 0
  for (let at = view.getUint32(end + 16, true); at + 46 <= end; ) {
    if (view.getUint32(at, true) !== entryOfDirectory) break
    const [packed, unpacked] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)]
    // For an entry without a size, the reader would unpack everything.
    size += unpacked === 0 && packed > 2 ? maxUnpackedBytes + 1 : unpacked
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  if (size > maxUnpackedBytes)
    throw new FormatError('the workbook is too large: it has more than 512 MiB when it is unpacked')
}
