import type { ProductTemplate } from '../../db/templates/table/columns.ts'
import { guardCell } from '../../tables/cell.ts'
import type { Column } from '../../tables/columns.ts'
import { findColumns } from '../../tables/find-columns.ts'
import { writeRow } from '../../tables/row.ts'
import type { TableRow } from '../../tables/table.ts'
import { CommandError } from '../terminal/command.ts'
import type { Format } from './format.ts'
import { readRecords } from './table.ts'

/** Bytes of a workbook, which is read as a whole: its directory is at its end. */
const maxSize = 64 * 2 ** 20

/** A sheet of a workbook, as spreadsheets save it: Office Open XML. */
export const xlsx: Format = {
  hasSheets: true,
  rows: readRows,

  read: (input, table) => readRecords(readRows(input, table.sheet), table),

  async *write(pages, { withoutData }) {
    const { writeXlsx } = await importTables()
    const columns = await findColumns(pages(), withoutData)
    const headers = columns.map(({ header }) => guardCell(header))
    yield* writeXlsx(headers, readPages(pages(), columns))
  }
}

async function* readPages(pages: AsyncIterable<ProductTemplate[]>, columns: Column[]) {
  for await (const templates of pages) for (const template of templates) yield writeRow(template, columns)
}

/** Reads the rows of a sheet of a workbook. */
async function* readRows(
  input: AsyncIterable<Uint8Array>,
  sheet: string | undefined
): AsyncGenerator<TableRow> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of input) {
    size += chunk.length
    if (size > maxSize) throw new CommandError('the workbook is larger than 64 MiB: save it as CSV')
    chunks.push(chunk)
  }
  const { readXlsx } = await importTables()
  yield* readXlsx(Buffer.concat(chunks), sheet)
}

const importTables = () =>
  import('../../tables/xlsx.ts').catch(error => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CommandError('XLSX needs the package hucre: npm install hucre')
  })
