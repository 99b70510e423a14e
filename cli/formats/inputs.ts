import { constants, createReadStream, type Stats } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import type { ImportRecord } from '../../db/templates/import/import.ts'
import type { DefaultValues } from '../../domain/columns.ts'
import { FormatError, type ReadOptions, type TableRow } from '../../features/spreadsheets/tables/table.ts'
import { makeProblem } from '../../domain/validation/problem.ts'
import { CommandError, UsageError } from '../../terminal/command.ts'
import type { Format, Input, Place } from './format.ts'
import { json, ndjson } from './json.ts'
import { openFolder } from './opensea.ts'
import { formatPlace } from './report.ts'
import { csv, type TableOptions, tsv, xlsx } from '../../features/spreadsheets/formats.ts'

/** The options of a command for reading its files. */
interface InputOptions {
  format?: string | undefined
  mapping?: unknown
  sheet?: string | undefined
  encoding?: string | undefined
}

/** Opens files and folders; `-` is standard input. `fields` are for folders. Throws UsageError. */
export async function openInputs(
  paths: string[],
  { format, mapping, ...options }: InputOptions,
  fields: Partial<DefaultValues>
): Promise<Input[]> {
  if (paths.filter(path => path === '-').length > 1)
    throw new UsageError('- is standard input: give it only once')
  const openPath = async (path: string): Promise<Input> => {
    const fileFormat = await selectFormat(path, format)
    if (mapping !== undefined && !fileFormat?.rows) throw new UsageError(describeNoTable(path))
    checkOptions(path, fileFormat, options)
    if (!fileFormat) return openFolder(path, fields)
    if (Object.keys(fields).length > 0)
      throw new UsageError(
        'only folders of metadata take --blockchain-id, --max-items, --private, --component'
      )
    return openFile(path, fileFormat)
  }
  return Promise.all(paths.map(openPath))
}

/** Throws UsageError for an option that the format of a file does not have. */
function checkOptions(path: string, format: Format | undefined, { sheet, encoding }: InputOptions): void {
  if (sheet !== undefined && format !== xlsx) throw new UsageError(`${path} has no sheets`)
  if (encoding === undefined) return
  if (format !== csv && format !== tsv) throw new UsageError(`${path} is not CSV: --encoding is for CSV`)
  try {
    new TextDecoder(encoding)
  } catch {
    throw new UsageError('--encoding must be the name of an encoding, such as windows-1251')
  }
}

const describeNoTable = (path: string): string => `${path} is not a table: a mapping is for CSV and XLSX`

/** Opens the rows of a table. Throws UsageError for a file that is not a table. */
export async function openRows(
  path: string,
  { format, ...options }: InputOptions & ReadOptions
): Promise<AsyncGenerator<TableRow>> {
  const found = findFormat(path, format)
  const { rows } = found
  if (!rows) throw new UsageError(describeNoTable(path))
  checkOptions(path, found, options)
  const name = (await checkReadable(path)) ? path : standardInput
  return nameErrors(name, rows(openBytes(path), { ...options, note: addFile(options.note, name) }))
}

/** Names the file and the line in errors. */
async function* nameErrors(file: string, rows: AsyncGenerator<TableRow>): AsyncGenerator<TableRow> {
  try {
    yield* rows
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new CommandError(`${formatPlace({ file, line: error.line })}: ${error.message}`)
  }
}

const standardInput = 'standard input'

const addFile =
  (note: ReadOptions['note'], file: string) =>
  (message: string): void =>
    note?.(`${file}: ${message}`)

/** Opens a file. Throws UsageError if it cannot be read. */
async function openFile(path: string, format: Format): Promise<Input> {
  const found = await checkReadable(path)
  const name = found ? path : standardInput
  return {
    size: found?.isFile() ? found.size : 0,
    read: (count, table) => {
      const bytes = countBytes(openBytes(path), count)
      return readRecords(name, format.read(bytes, { ...table, note: addFile(table.note, name) }))
    }
  }
}

const openBytes = (path: string): AsyncIterable<Uint8Array> =>
  path === '-' ? process.stdin : createReadStream(path)

/** Throws UsageError for a path that is not a readable file. Returns undefined for standard input. */
async function checkReadable(path: string): Promise<Stats | undefined> {
  if (path === '-') return undefined
  const found = await access(path, constants.R_OK)
    // The file is not opened here, because closing a named pipe would end its writer.
    .then(() => stat(path))
    .catch(({ code }) => {
      throw new UsageError(`cannot read ${path}: ${code}`)
    })
  if (found.isDirectory()) throw new UsageError(`${path} is a directory`)
  return found
}

async function* countBytes(bytes: AsyncIterable<Uint8Array>, count: (bytes: number) => void) {
  for await (const chunk of bytes) {
    yield chunk
    count(chunk.length)
  }
}

async function* readRecords(
  file: string,
  records: ReturnType<Format['read']>
): AsyncGenerator<ImportRecord<Place>> {
  try {
    for await (const { place, ...record } of records) yield { ...record, place: { ...place, file } }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    const { message, line, column } = error
    yield { place: { file, line, column }, problems: [makeProblem('UNREADABLE', message)], unreadable: true }
  }
}

/** Reads the records of inputs. If all sizes are known, calls `progress` with KiB. */
export async function* readInputs(
  inputs: Input[],
  table: TableOptions,
  progress: (done: number, total: number) => void
): AsyncGenerator<ImportRecord<Place>> {
  const total = inputs.some(({ size }) => size === 0) ? 0 : inputs.reduce((sum, { size }) => sum + size, 0)
  let done = 0
  const count = (bytes: number) => {
    done += bytes
    if (total > 0) progress(Math.ceil(Math.min(done, total) / 1024), Math.ceil(total / 1024))
  }
  for (const { read } of inputs) yield* read(count, table)
}

const formats: Record<string, Format> = { json, ndjson, csv, xlsx }

/** Formats by extension. The name of a format is one, too. */
const extensions: Record<string, Format> = { ...formats, jsonl: ndjson, tsv }

/** Finds a format by its name or, without one, by the extension of the file; `-` is NDJSON. Throws UsageError. */
export function findFormat(file: string, name?: string): Format {
  const extension = file === '-' ? 'ndjson' : (/\.([^.]+)$/.exec(file)?.[1]?.toLowerCase() ?? '')
  const format = name === undefined ? extensions[extension] : formats[name]
  if (!format) throw new UsageError(`the name of ${file} does not tell its format: give --format`)
  return format
}

/** Finds the format of a file like {@link findFormat}. Returns undefined for a folder of metadata. */
export async function selectFormat(path: string, name: string | undefined): Promise<Format | undefined> {
  const found = name === undefined && path !== '-' ? await stat(path).catch(() => undefined) : undefined
  return name === 'opensea' || found?.isDirectory() ? undefined : findFormat(path, name)
}
