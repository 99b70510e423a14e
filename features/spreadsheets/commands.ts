/** What tables add to the commands `import` and `export`. */
import type { OptionValues } from 'commander'
import { FormatError } from '../../domain/format-error.ts'
import { type Call, CommandError, UsageError } from '../../terminal/command.ts'
import { type Format, formatPlace, type GivenFile, type LoadedFormats } from '../../terminal/file-format.ts'
import { collectNotes, printResult } from '../../terminal/result.ts'
import { withStore } from '../../terminal/store.ts'
import { csv, type TableFormat, tsv, xlsx } from './formats.ts'
import { readMapping, writeGuess } from './mapping-file.ts'
import { listTraitTypes, makeFinder } from './stored.ts'
import type { Mapping } from './tables/mapping.ts'
import type { SeenKeys } from './tables/read-table.ts'
import type { TableRow } from './tables/table.ts'

const tables: Record<string, TableFormat> = { csv, tsv, xlsx }

export const formats: LoadedFormats = {
  async openImport(call, files) {
    const { mapping: path, sheet, encoding } = call.options
    if (path === '') throw new UsageError('--mapping must be the path of a file')
    const mapping: Mapping | undefined = path && (await readMapping(path))
    if (path && !mapping) return void (await writeGuessOf(call, files))
    for (const file of files) checkOptions(file, call.options)
    const seen: SeenKeys = new Map()
    return {
      needsIndex: Boolean(mapping?.key),
      makeReaders(db, options) {
        const table = { mapping, sheet, encoding, seen, find: makeFinder(db, options) }
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
function checkOptions({ name, extension }: GivenFile, { mapping, sheet, encoding }: OptionValues): void {
  const format = tables[extension ?? '']
  if (mapping !== undefined && !format)
    throw new UsageError(`${name} is not a table: a mapping is for CSV and XLSX`)
  if (sheet !== undefined && format !== xlsx) throw new UsageError(`${name} has no sheets`)
  if (encoding === undefined) return
  if (format !== csv && format !== tsv) throw new UsageError(`${name} is not CSV: --encoding is for CSV`)
  try {
    new TextDecoder(encoding)
  } catch {
    throw new UsageError('--encoding must be the name of an encoding, such as windows-1251')
  }
}

/** Guesses the mapping of a table and writes it to a file. Imports nothing. */
async function writeGuessOf({ sources, options }: Call, [file, ...others]: GivenFile[]): Promise<void> {
  const { mapping, sheet, encoding } = options
  const { notes, note } = collectNotes(options.json)
  if (!file || others.length > 0)
    throw new UsageError('give one file: a mapping is guessed from a single file')
  checkOptions(file, options)
  const format = tables[file.extension as string] as TableFormat
  const rows = format.rows(await file.open(), {
    ...{ sheet, encoding },
    note: message => note(`${file.name}: ${message}`)
  })
  await withStore(sources, async db =>
    writeGuess(mapping, nameErrors(file.name, rows), await listTraitTypes(db))
  )
  const sentence = `Wrote a guess of what the columns become to ${mapping}. Nothing was imported: check the file, then import again.`
  printResult(options, { mapping, notes }, sentence)
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
