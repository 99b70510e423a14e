import { type CsvError, type Options, parse } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import type { ImportRecord, Problem } from '../../db/templates/import/import.ts'
import { fieldNames, type ProductTemplate } from '../../db/templates/table/columns.ts'
import { guardCell } from '../../tables/cell.ts'
import { type Column, documentColumn, fieldColumn, locateProblem, readHeader } from '../../tables/columns.ts'
import { countLines, describeError, findDelimiter, parsing } from '../../tables/csv.ts'
import { DocumentCells, parseDocument } from '../../tables/document.ts'
import { readRow, writeRow } from '../../tables/row.ts'
import { CommandError } from '../terminal/command.ts'
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

const plainFields = fieldNames.filter(field => field !== 'data')
const usualKeys = ['productId', 'description', 'external_url', 'image', 'name', 'component']

/** What spreadsheets can open. */
const maxColumns = 16_384

/** Finds the columns that all templates need. Throws CommandError if they are too many. */
async function findColumns(pages: AsyncIterable<ProductTemplate[]>): Promise<Column[]> {
  const found = { keys: new Set(usualKeys), traits: new Set<string>() }
  for await (const templates of pages) {
    for (const { data } of templates) {
      const document = parseDocument(data)
      if (!document) continue
      const cells = new DocumentCells(document)
      for (const key of cells.keys) found.keys.add(key)
      for (const trait of cells.traits) found.traits.add(trait)
    }
    if (found.keys.size + found.traits.size > maxColumns)
      throw new CommandError(`CSV would have more than ${maxColumns} columns: export ndjson`)
  }
  return [
    ...plainFields.map(fieldColumn),
    ...Array.from(found.keys, name => documentColumn('key', name)),
    ...Array.from(found.traits, name => documentColumn('trait', name))
  ]
}

// By default a cell with a lone CR or LF would not be quoted.
const toCsv = (rows: string[][]): string =>
  stringify(rows, { record_delimiter: '\r\n', quoted_match: /[\r\n]|^\s|\s$/ })

/** Splits a text into rows, each with the number of its first line. */
async function* readRows(text: AsyncGenerator<string>) {
  const { delimiter, whole } = await findDelimiter(text)
  const rows: { cells: string[]; line: number }[] = []
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
    if (error) throw new Unreadable(describeError((error as CsvError).code), { line })
  }
  for await (const chunk of whole) yield* take(resolve => parser.write(chunk, resolve))
  yield* take(resolve => parser.end(resolve))
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
