/** What tables add to the commands `import` and `export`. */
import type { OptionValues } from 'commander'
import { FormatError } from '../../domain/format-error.ts'
import { type Call, CommandError, UsageError } from '../../terminal/command.ts'
import { type Format, formatPlace, type GivenFile, type LoadedFormats } from '../../terminal/file-format.ts'
import { collectNotes, printResult } from '../../terminal/result.ts'
import { withStore } from '../../terminal/store.ts'
import { csv, openHeader, type TableFormat, tsv, xlsx } from './formats.ts'
import { readMapping, writeGuess } from './mapping-file.ts'
import { listTraitTypes, makeFinder } from './stored.ts'
import type { Mapping } from './tables/mapping.ts'
import type { SeenKeys } from './tables/read-table.ts'
import type { ReadOptions } from './tables/table.ts'

const tables: Record<string, TableFormat> = { csv, tsv, xlsx }

export const formats: LoadedFormats = {
  async openImport(call, files) {
    const { mapping: path } = call.options
    if (path === '') throw new UsageError('--mapping must be the path of a file')
    const mapping: Mapping | undefined = path && (await readMapping(path))
    if (path && !mapping) return void (await writeGuessOf(call, files))
    for (const file of files) checkOptions(file, call.options)
    const options = readOptions(call.options)
    const seen: SeenKeys = new Map()
    return {
      needsIndex: Boolean(mapping?.key),
      makeReaders(db, importOptions) {
        const table = { ...options, mapping, seen, find: makeFinder(db, importOptions) }
        return mapFormats(
          ({ read }): Format['read'] =>
            (input, note, file) =>
              read(input, { ...table, note, file })
        )
      }
    }
  },

  makeWriters: ({ data }) =>
    mapFormats(
      ({ write }): Format['write'] =>
        (pages, note) =>
          write(pages, { withoutData: !data, note })
    )
}

const mapFormats = <T>(make: (format: TableFormat) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(tables).map(([extension, format]) => [extension, make(format)]))

/** Throws UsageError for an option that the format of a file does not have. */
function checkOptions({ name, extension }: GivenFile, given: OptionValues): void {
  const { mapping, sheet, encoding, hiddenRows, header } = given
  const format = tables[extension ?? '']
  if (mapping !== undefined && !format)
    throw new UsageError(`${name} is not a table: a mapping is for CSV and XLSX`)
  if (header !== undefined && !format) throw new UsageError(`${name} is not a table: it has no header`)
  if (sheet !== undefined && format !== xlsx) throw new UsageError(`${name} has no sheets`)
  if (hiddenRows && format !== xlsx) throw new UsageError(`${name} has no hidden rows`)
  if (encoding === undefined) return
  if (format !== csv && format !== tsv) throw new UsageError(`${name} is not CSV: --encoding is for CSV`)
  try {
    new TextDecoder(encoding)
  } catch {
    throw new UsageError('--encoding must be the name of an encoding, such as windows-1251')
  }
}

/** Reads the options that say how a table is read. Throws UsageError. */
function readOptions({ sheet, encoding, hiddenRows, header }: OptionValues): ReadOptions {
  if (header !== undefined && !/^[1-9]\d{0,8}$/.test(header))
    throw new UsageError('--header must be the number of a row, such as 3')
  return { sheet, encoding, hiddenRows, header: header && Number(header) }
}

/** Guesses the mapping of a table and writes it to a file. Imports nothing. */
async function writeGuessOf({ sources, options }: Call, [file, ...others]: GivenFile[]): Promise<void> {
  const { mapping } = options
  const { notes, note } = collectNotes(options.json)
  if (!file || others.length > 0)
    throw new UsageError('give one file: a mapping is guessed from a single file')
  checkOptions(file, options)
  const format = tables[file.extension as string] as TableFormat
  const reading = {
    ...readOptions(options),
    note: (message: string) => note(`${file.name}: ${message}`)
  }
  const rows = format.rows(await file.open(), reading)
  await withStore(sources, async db =>
    writeGuess(mapping, await openHeader(rows, reading), await listTraitTypes(db))
  )
    .finally(() => rows.return(undefined))
    .catch(error => throwNamed(file.name, error))
  const sentence = `Wrote a guess of what the columns become to ${mapping}. Nothing was imported: check the file, then import again.`
  printResult(options, { mapping, notes }, sentence)
}

/** Names the file and the line in an error of a table. */
function throwNamed(file: string, error: unknown): never {
  if (!(error instanceof FormatError)) throw error
  throw new CommandError(`${formatPlace({ file, line: error.line })}: ${error.message}`)
}
