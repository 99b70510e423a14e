import { type CsvError, type Options, parse } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import type { ImportRecord, Problem } from '../../db/templates/import/import.ts'
import { fieldNames } from '../../db/templates/table/columns.ts'
import { guardCell } from './csv/cell.ts'
import { type Column, fieldColumn, locateProblem, readHeader } from './csv/columns.ts'
import { countLines, describeError, findDelimiter, parsing } from './csv/parsing.ts'
import { readRow } from './csv/read-row.ts'
import { findColumns, writeRow } from './csv/write.ts'
import { type Format, type LineOf, Unreadable, unreadable } from './format.ts'
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
    yield toCsv([columns.map(({ header }) => guardCell(header))])
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
    line += countLines(raw)
  }
  const parser = parse({
    ...parsing,
    delimiter,
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

function readColumns(cells: string[], line: number): Column[] {
  const { columns, problem, column } = readHeader(cells, fieldNames)
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
