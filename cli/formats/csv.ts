import { type CsvError, type Options, parse } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import { fieldNames, type ProductTemplate } from '../../db/templates/table/columns.ts'
import { guardCell } from '../../tables/cell.ts'
import { type Column, documentColumn, fieldColumn } from '../../tables/columns.ts'
import { countLines, describeError, findDelimiter, parsing } from '../../tables/csv.ts'
import { DocumentCells, parseDocument } from '../../tables/document.ts'
import { decodeTable } from '../../tables/encoding.ts'
import { writeRow } from '../../tables/row.ts'
import { TableError, type TableRow } from '../../tables/table.ts'
import { CommandError } from '../terminal/command.ts'
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

const plainFields = fieldNames.filter(field => field !== 'data')
const usualKeys = ['productId', 'description', 'external_url', 'image', 'name', 'component']

/** What spreadsheets can open. */
const maxColumns = 16_384

/** Finds the columns that all templates need. Throws CommandError if they are too many. */
export async function findColumns(
  pages: AsyncIterable<ProductTemplate[]>,
  withoutData = false
): Promise<Column[]> {
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
      throw new CommandError(`the table would have more than ${maxColumns} columns: export ndjson`)
  }
  return [
    ...plainFields.map(fieldColumn),
    ...Array.from(found.keys, name => documentColumn('key', name)),
    ...Array.from(found.traits, name => documentColumn('trait', name)),
    ...(withoutData ? [] : [fieldColumn('data')])
  ]
}

// By default a cell with a lone CR or LF would not be quoted.
const toCsv = (rows: string[][]): string =>
  stringify(rows, { record_delimiter: '\r\n', quoted_match: /[\r\n]|^\s|\s$/ })

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
