import { FormatError } from '../../../../domain/format-error.ts'
import { openTable, type Table, type TableRow } from '../../tables/table.ts'
import { type FileRecord, parseRecords } from './parse-records.ts'

/** A table in memory, so that its cells can be corrected. */
export interface OpenTable extends Omit<Table, 'rows'> {
  rows: TableRow[]
  /** The sheets of the workbook, and the open one. */
  sheets: string[]
  sheet: string | undefined
  /** The encoding of an 8-bit text, if it was assumed. */
  assumed: string | undefined
}

/** What the user has chosen to read from a file. */
export interface Choice {
  sheet?: string | undefined
  encoding?: string | undefined
}

/** The content of a file. */
export type Contents = { table: OpenTable } | { records: FileRecord[] }

/** Opens CSV, XLSX, a JSON array, or NDJSON. Throws an Error with a message for the user. */
export async function openFile(file: File, { sheet, encoding }: Choice): Promise<Contents> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    if (isWorkbook(file.name, bytes)) return await openWorkbook(bytes, sheet)
    const { text, assumed } = await decode(bytes, encoding)
    if (!isCsv(file.name, text)) {
      if (assumed) throw new FormatError('the file is not in UTF-8')
      return { records: parseRecords(text) }
    }
    // Loaded on demand: it is large and rarely used.
    const { parseCsv } = await import('./parse-csv.ts')
    return await openRows(parseCsv(text), { assumed })
  } catch (error) {
    if (error instanceof FormatError) throw new Error(describe(error))
    throw error
  }
}

async function openWorkbook(bytes: Uint8Array, requested: string | undefined): Promise<Contents> {
  const { openWorkbook: open } = await import('../../tables/xlsx/read.ts')
  const { sheets, sheet, rows } = await open(bytes, requested)
  return openRows(await Array.fromAsync(rows(sheet)), { sheets, sheet })
}

async function openRows(
  found: TableRow[],
  { sheets = [], sheet, assumed }: Partial<OpenTable>
): Promise<Contents> {
  const { names, header, rows } = await openTable(
    (async function* () {
      yield* found
    })()
  )
  if (names.length === 0) throw new Error('The file is empty.')
  return { table: { names, header, rows: await Array.fromAsync(rows), sheets, sheet, assumed } }
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
