import { FormatError } from '../../../../domain/format-error.ts'
import { isEmpty, openTable, type Table, type TableRow } from '../../tables/table.ts'
import { type FileRecord, parseRecords } from './parse-records.ts'

/** A table in memory, so that its cells can be corrected. */
export interface OpenTable extends Omit<Table, 'rows'> {
  rows: TableRow[]
  /** The sheets of the workbook, and the open one. */
  sheets: string[]
  sheet: string | undefined
  /** The number of rows with values that the workbook hides, if there are any, and whether they are read, too. */
  hidden: { count: number; isRead: boolean } | undefined
  /** The encoding of an 8-bit text, if it was assumed. */
  assumed: string | undefined
}

/** What the user has chosen to read from a file. */
export interface Choice {
  sheet?: string | undefined
  /** Whether to read hidden rows. */
  hiddenRows?: boolean | undefined
  /** The line of the header. */
  header?: number | undefined
  encoding?: string | undefined
}

/** The content of a file. */
export type Contents = { table: OpenTable } | { records: FileRecord[] }

/** Opens CSV, XLSX, a JSON array, or NDJSON. Throws an Error with a message for the user. */
export async function openFile(file: File, choice: Choice): Promise<Contents> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    if (isWorkbook(file.name, bytes)) return await openWorkbook(bytes, choice)
    const { text, assumed } = await decode(bytes, choice.encoding)
    if (!isCsv(file.name, text)) {
      if (assumed) throw new FormatError('the file is not in UTF-8')
      return { records: parseRecords(text) }
    }
    // Loaded on demand: it is large and rarely used.
    const { parseCsv } = await import('./parse-csv.ts')
    return await openRows(parseCsv(text), choice, { assumed })
  } catch (error) {
    if (error instanceof FormatError) throw new Error(describe(error))
    throw error
  }
}

async function openWorkbook(bytes: Uint8Array, choice: Choice): Promise<Contents> {
  const { openWorkbook: open } = await import('../../tables/xlsx/read.ts')
  const { sheets, sheet, rows } = await open(bytes, choice.sheet)
  const all = await Array.fromAsync(rows(sheet))
  const count = all.filter(row => row.isHidden && !isEmpty(row)).length
  const isRead = choice.hiddenRows ?? false
  const read = isRead ? all : all.filter(({ isHidden }) => !isHidden)
  const hidden = count > 0 ? { count, isRead } : undefined
  return openRows(read, choice, { sheets, sheet, hidden })
}

async function openRows(
  found: TableRow[],
  { header: line }: Choice,
  { sheets = [], sheet, hidden, assumed }: Partial<OpenTable>
): Promise<Contents> {
  async function* all() {
    yield* found
  }
  const { rows, ...table } = await openTable(all(), line)
  if (table.names.length === 0 && !hidden) throw new Error('The file is empty.')
  return { table: { ...table, rows: await Array.fromAsync(rows), sheets, sheet, hidden, assumed } }
}

async function decode(bytes: Uint8Array, encoding: string | undefined) {
  const { decodeText } = await import('../../tables/encoding.ts')
  async function* whole() {
    yield bytes
  }
  let assumed: string | undefined
  const onAssumed = (name: string) => {
    assumed = name
  }
  const text = (await Array.fromAsync(decodeText(whole(), { encoding, onAssumed }))).join('')
  return { text, assumed }
}

/** Describes a table error as a sentence. */
export function describe({ message, line, column }: FormatError): string {
  const place = column !== undefined ? `The column “${column}”: ` : line !== undefined ? `Line ${line}: ` : ''
  return `${place}${place ? message : message.charAt(0).toUpperCase() + message.slice(1)}.`
}

const isWorkbook = (name: string, [first, second]: Uint8Array): boolean =>
  /\.xls[xmb]?$/i.test(name) || (first === 0x50 && second === 0x4b)

/** Decides by the file name, or else by the start of the text. */
const isCsv = (name: string, text: string): boolean =>
  /\.(csv|tsv|txt)$/i.test(name) || !(/\.(json|ndjson|jsonl)$/i.test(name) || /^\s*([[{]|$)/.test(text))
