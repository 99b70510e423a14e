import { openTable, type Table } from '../../spreadsheets/read-table.ts'
import { FormatError, type TableRow } from '../../spreadsheets/table.ts'
import { type FileRecord, parseRecords } from './parse-records.ts'

/** A table in memory, so that its cells can be corrected. */
export interface OpenTable extends Omit<Table, 'rows'> {
  rows: TableRow[]
  /** The sheets of the workbook, and the open one. */
  sheets: string[]
  sheet: string | undefined
}

/** The content of a file. */
export type Contents = { table: OpenTable } | { records: FileRecord[] }

/** Opens CSV, XLSX, a JSON array, or NDJSON. Throws an Error with a message for the user. */
export async function openFile(file: File, sheet?: string): Promise<Contents> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    if (isWorkbook(file.name, bytes)) return await openWorkbook(bytes, sheet)
    const text = await decode(bytes)
    if (!isCsv(file.name, text)) return { records: parseRecords(text) }
    // Loaded on demand: it is large and rarely used.
    const { parseCsv } = await import('./parse-csv.ts')
    return await openRows(parseCsv(text))
  } catch (error) {
    if (error instanceof FormatError) throw new Error(describe(error))
    throw error
  }
}

async function openWorkbook(bytes: Uint8Array, requested: string | undefined): Promise<Contents> {
  const { listSheets, readXlsx } = await import('../../spreadsheets/xlsx.ts')
  const sheets = await listSheets(bytes)
  const sheet = requested ?? sheets[0]
  return openRows(await Array.fromAsync(readXlsx(bytes, sheet)), sheets, sheet)
}

async function openRows(found: TableRow[], sheets: string[] = [], sheet?: string): Promise<Contents> {
  const { names, header, rows } = await openTable(
    (async function* () {
      yield* found
    })()
  )
  if (names.length === 0) throw new Error('The file is empty.')
  return { table: { names, header, rows: await Array.fromAsync(rows), sheets, sheet } }
}

async function decode(bytes: Uint8Array): Promise<string> {
  const { decodeText } = await import('../../spreadsheets/encoding.ts')
  async function* whole() {
    yield bytes
  }
  return (await Array.fromAsync(decodeText(whole()))).join('')
}

/** Describes a table error as a sentence. */
export function describe({ message, line, column }: FormatError): string {
  const place = column !== undefined ? `The column “${column}”: ` : line !== undefined ? `Line ${line}: ` : ''
  return `${place}${place ? message : message.charAt(0).toUpperCase() + message.slice(1)}.`
}

const isWorkbook = (name: string, [first, second]: Uint8Array): boolean =>
  /\.xls[xm]$/i.test(name) || (first === 0x50 && second === 0x4b)

/** Decides by the file name, or else by the start of the text. */
const isCsv = (name: string, text: string): boolean =>
  /\.(csv|tsv|txt)$/i.test(name) || !(/\.(json|ndjson|jsonl)$/i.test(name) || /^\s*([[{]|$)/.test(text))
