/** The formats whose rows are templates: CSV and sheets of workbooks. */
import { type CsvError, type Options, parse } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import type { ImportRecord } from '../../db/templates/import/report.ts'
import type { ProductTemplate } from '../../domain/columns.ts'
import { FormatError } from '../../domain/format-error.ts'
import { readAll } from '../../runtime/outgoing.ts'
import { importOptional } from '../../runtime/package/optional-package.ts'
import { CommandError } from '../../terminal/command.ts'
import type { Format, LineOf, Note } from '../../terminal/file-format.ts'
import { findColumns, type TableColumn } from './tables/columns.ts'
import {
  countLines,
  csvParseOptions,
  csvStringifyOptions,
  describeError,
  findDelimiter
} from './tables/csv.ts'
import { decodeText } from './tables/encoding.ts'
import { type Mapping, makeExportMapping } from './tables/mapping.ts'
import { type FindTemplates, readTable, type SeenKeys } from './tables/read-table.ts'
import { writeHeader, writeRow } from './tables/row.ts'
import { isEmpty, openTable, type ReadOptions, type Table, type TableRow } from './tables/table.ts'
import { openWorkbook } from './tables/xlsx/read.ts'

/** A format whose rows are templates. */
export interface TableFormat {
  rows(input: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncGenerator<TableRow>
  read(input: AsyncIterable<Uint8Array>, table: TableOptions): ReturnType<Format['read']>
  write(pages: Parameters<Format['write']>[0], options: WriteOptions): ReturnType<Format['write']>
}

/** The options for writing a table. */
interface WriteOptions {
  /** Omits the column `data`. */
  withoutData?: boolean | undefined
  /** Called with a message about the values that the table does not have. */
  note?: Note | undefined
}

interface TableOptions extends ReadOptions {
  /** The targets of the columns. Without a mapping, the table must have the columns of an export. */
  mapping?: Mapping | undefined
  find: FindTemplates
  /** Names the file in the messages about another one. */
  file?: string
  seen?: SeenKeys
}

/** Reads the rows of a table as records. Throws FormatError. */
async function* readRecords(
  rows: AsyncGenerator<TableRow>,
  { mapping, find, file, seen, ...options }: TableOptions
): AsyncGenerator<ImportRecord<LineOf>> {
  try {
    const table = await openHeader(rows, options)
    for await (const record of readTable(table, mapping ?? requireExport(table), find, { file, seen })) {
      const { row, values, problems, findColumn } = record
      yield { values, problems, place: { line: row.line, findColumn } }
    }
  } finally {
    // Lets the sheet report its hidden rows, also after an error.
    await rows.return(undefined)
  }
}

/** Opens a table, and reports which row was taken for the header if it is not the first one. */
export async function openHeader(
  rows: AsyncGenerator<TableRow>,
  { header, note }: ReadOptions
): Promise<Table> {
  const table = await openTable(rows, header)
  const { line } = table.header
  if (header === undefined && table.first[0] && table.first[0].line !== line)
    note?.(`the header is row ${line}; --header selects another`)
  return table
}

/** Returns the mapping of an export. For any other table, throws a FormatError that mentions --mapping. */
function requireExport(table: Table): Mapping {
  try {
    return makeExportMapping(table)
  } catch (error) {
    if (error instanceof FormatError) error.message += '; for other columns, give --mapping'
    throw error
  }
}

/** Finds the columns of an export, and reports values that have no column. */
async function chooseColumns(
  pages: AsyncIterable<ProductTemplate[]>,
  { withoutData, note }: WriteOptions
): Promise<TableColumn[]> {
  const found = await findColumns(pages, withoutData)
  if (found.note !== '') note?.(found.note)
  return found.columns
}

/** A row for each template, RFC 4180. Reads `,`, `;` and tab as delimiters, and any line ending. */
const separateBy = (delimiter: string): TableFormat => ({
  rows: readCsv,

  read: (input, table) => readRecords(readCsv(input, table), table),

  async *write(pages, { withoutData, note }) {
    const toText = (rows: string[][]): string => stringify(rows, { ...csvStringifyOptions, delimiter })
    const columns = await chooseColumns(pages(), { withoutData, note })
    yield toText([writeHeader(columns)])
    for await (const templates of pages())
      yield toText(templates.map(template => writeRow(template, columns)))
  }
})

export const csv = separateBy(',')
export const tsv = separateBy('\t')

/** Splits a text into rows, each with the number of its first line. */
async function* readCsv(
  input: AsyncIterable<Uint8Array>,
  { encoding, note }: ReadOptions
): AsyncGenerator<TableRow> {
  const onAssumed = (name: string) =>
    note?.(`the text is not in UTF-8, so ${name} was assumed; if letters are wrong, give --encoding`)
  const { delimiter, whole } = await findDelimiter(decodeText(input, { encoding, onAssumed }))
  const rows: TableRow[] = []
  let line = 1
  const takeRow = ({ record: cells, raw }: { record: string[]; raw: string }) => {
    rows.push({ cells, line, isLast: !/[\r\n]$/.test(raw) })
    line += countLines(raw)
  }
  const parser = parse({
    ...csvParseOptions,
    delimiter,
    // The parser itself keeps no row, so an error loses none of the earlier rows.
    on_record: takeRow as unknown as NonNullable<Options['on_record']>
  }).on('error', () => {})
  async function* take(parsePart: (done: (error?: Error | null) => void) => void) {
    const error = await new Promise<Error | null | undefined>(parsePart)
    yield* rows.splice(0)
    if (error) throw new FormatError(describeError((error as CsvError).code), { line })
  }
  for await (const chunk of whole) yield* take(resolve => parser.write(chunk, resolve))
  yield* take(resolve => parser.end(resolve))
}

/** Maximum size of a workbook in bytes. A workbook is read as a whole, because its directory is at its end. */
const maxWorkbookBytes = 64 * 2 ** 20

/** A sheet of an Office Open XML workbook. */
export const xlsx: TableFormat = {
  rows: readSheet,

  read: (input, table) => readRecords(readSheet(input, table), table),

  async *write(pages, { withoutData, note }) {
    const { writeXlsx } = await importWriter()
    const columns = await chooseColumns(pages(), { withoutData, note })
    const headers = writeHeader(columns)
    async function* rows() {
      for await (const templates of pages())
        for (const template of templates) yield writeRow(template, columns)
    }
    yield* writeXlsx(headers, rows())
  }
}

/** Reads the rows of a sheet of a workbook. */
async function* readSheet(
  input: AsyncIterable<Uint8Array>,
  { sheet: requested, hiddenRows, header, note }: ReadOptions
): AsyncGenerator<TableRow> {
  const refuse = () => new FormatError('the workbook is larger than 64 MiB: save it as CSV')
  const { sheets, sheet, rows } = await openWorkbook(
    await readAll(input, maxWorkbookBytes, refuse),
    requested
  )
  const others =
    sheets.length === 1 ? '' : `, the largest visible one of ${sheets.length}; --sheet selects another`
  if (requested === undefined) note?.(`the sheet ${sheet} was read${others}`)
  let leftOut = 0
  try {
    for await (const row of rows(sheet))
      if (!row.isHidden || hiddenRows) yield row
      else if (row.line === header)
        throw new FormatError('the row is hidden; --hidden-rows reads hidden rows', { line: header })
      else if (!isEmpty(row)) leftOut++
  } finally {
    const count = leftOut === 1 ? '1 hidden row was' : `${leftOut} hidden rows were`
    if (leftOut > 0) note?.(`${count} left out; --hidden-rows imports hidden rows, too`)
  }
}

const importWriter = () =>
  importOptional(
    () => import('./tables/xlsx/write.ts'),
    () => new CommandError('exporting XLSX needs the package hucre: npm install hucre')
  )
