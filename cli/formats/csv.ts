import { type CsvError, type Options, parse } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import type { ImportRecord, Problem } from '../../db/templates/import.ts'
import { type Column, fieldColumn, findColumns, readHeader } from './csv/columns.ts'
import { findDelimiter } from './csv/delimiter.ts'
import { locateProblem } from './csv/locate.ts'
import { readRow, writeRow } from './csv/row.ts'
import { type Format, type LineOf, maxRecordSize, Unreadable, unreadable } from './format.ts'
import { decodeText } from './text.ts'

/** A row for each template, RFC 4180. Reads `,`, `;` or tab as the delimiter and any line ending. */
export const csv: Format = {
  async *read(input) {
    let columns: Column[] | undefined
    for await (const { cells, line } of readRows(decodeText(input))) {
      if (cells.every(cell => cell === '')) continue
      if (columns) yield readRecord(cells, columns, line)
      else columns = readColumns(cells, line)
    }
  },

  async *write(pages, { withoutData }) {
    const columns = await findColumns(pages())
    if (!withoutData) columns.push(fieldColumn('data'))
    yield toCsv([columns.map(({ header }) => header)])
    for await (const templates of pages()) yield toCsv(templates.map(template => writeRow(template, columns)))
  }
}

// By default a cell with a lone CR or LF would not be quoted.
const toCsv = (rows: string[][]): string =>
  stringify(rows, { record_delimiter: '\r\n', quoted_match: /[\r\n]|^\s|\s$/ })

interface Row {
  cells: string[]
  /** The first line. */
  line: number
}

/** Splits a text into rows. */
async function* readRows(text: AsyncGenerator<string>): AsyncGenerator<Row> {
  const { delimiter, whole } = await findDelimiter(text)
  const rows: Row[] = []
  let line = 1
  const takeRow = ({ record: cells, raw }: { record: string[]; raw: string }) => {
    rows.push({ cells, line })
    line += raw.match(/\r\n?|\n/g)?.length ?? 0
  }
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: maxRecordSize,
    // For the line: `info.lines` counts CRLF in quotes twice.
    raw: true,
    // The parser keeps no row, so that an error loses none of those before it.
    on_record: takeRow as unknown as NonNullable<Options['on_record']>
  }).on('error', () => {})
  const check = (error?: Error | null) => {
    if (error) throw new Unreadable(describeError((error as CsvError).code), { line })
  }
  for await (const chunk of whole) {
    const error = await new Promise<Error | null | undefined>(resolve => parser.write(chunk, resolve))
    yield* rows.splice(0)
    check(error)
  }
  const error = await new Promise<Error | null | undefined>(resolve => parser.end(resolve))
  yield* rows.splice(0)
  check(error)
}

function describeError(code: string): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return `the row is longer than ${maxRecordSize} characters`
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'a quoted cell does not end'
    : 'a quote is out of place: write a cell with quotes in quotes, and each of its quotes twice'
}

function readColumns(cells: string[], line: number): Column[] {
  const { columns, problem, column } = readHeader(cells)
  if (problem !== undefined) throw new Unreadable(problem, { line, column: cells[column ?? 0] })
  return columns
}

function readRecord(cells: string[], columns: Column[], line: number): ImportRecord<LineOf> {
  if (cells.length !== columns.length) {
    const message = `the row has ${cells.length} cells and the header ${columns.length}`
    return { place: { line }, problems: [unreadable(message)] }
  }
  const { values, problems } = readRow(cells, columns)
  const findColumn = (problem: Problem) => locateProblem(problem, columns, values.data)
  return { values, place: { line, findColumn }, ...(problems && { problems }) }
}
