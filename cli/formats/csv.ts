import { type CsvError, type Options, parse } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import { guardCell } from '../../tables/cell.ts'
import { countLines, describeError, findDelimiter, parsing, writing } from '../../tables/csv.ts'
import { decodeTable } from '../../tables/encoding.ts'
import { findColumns } from '../../tables/find-columns.ts'
import { writeRow } from '../../tables/row.ts'
import { TableError, type TableRow } from '../../tables/table.ts'
import type { Format } from './format.ts'
import { readRecords } from './table.ts'

/** A row for each template, RFC 4180. Reads `,`, `;` or tab as the delimiter and any line ending. */
export const csv: Format = {
  rows: readRows,

  read: (input, table) => readRecords(readRows(input), table),

  async *write(pages, { withoutData }) {
    const columns = await findColumns(pages(), withoutData)
    yield toCsv([columns.map(({ header }) => guardCell(header))])
    for await (const templates of pages()) yield toCsv(templates.map(template => writeRow(template, columns)))
  }
}

const toCsv = (rows: string[][]): string => stringify(rows, writing)

/** Splits a text into rows, each with the number of its first line. */
async function* readRows(input: AsyncIterable<Uint8Array>): AsyncGenerator<TableRow> {
  const { delimiter, whole } = await findDelimiter(decodeTable(input))
  const rows: TableRow[] = []
  let line = 1
  const takeRow = ({ record: cells, raw }: { record: string[]; raw: string }) => {
    rows.push({ cells, line })
    line += countLines(raw)
  }
  const parser = parse({
    ...parsing,
    delimiter,
    // The parser keeps no row, so that an error loses none of those before it.
    on_record: takeRow as unknown as NonNullable<Options['on_record']>
  }).on('error', () => {})
  async function* take(parsePart: (done: (error?: Error | null) => void) => void) {
    const error = await new Promise<Error | null | undefined>(parsePart)
    yield* rows.splice(0)
    if (error) throw new TableError(describeError((error as CsvError).code), { line })
  }
  for await (const chunk of whole) yield* take(resolve => parser.write(chunk, resolve))
  yield* take(resolve => parser.end(resolve))
}
