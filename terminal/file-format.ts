/** The file formats of `import` and `export`: what all have in common, and what features may add. */
import type { OptionValues } from 'commander'
import type { Db } from '../db/schema.ts'
import type { ImportOptions, ImportRecord, Problem } from '../db/templates/import/report.ts'
import type { ProductTemplate } from '../domain/columns.ts'
import { makeProblem } from '../domain/validation/problem.ts'
import type { ProcessSettings } from '../options/index.ts'
import { findPosition } from '../runtime/json-values.ts'
import type { Call, Options } from './command.ts'

/** A file format of templates. */
export interface Format {
  /**
   * Reads the records of a file, whose name is for messages. A record that cannot be read has problems. Throws
   * {@link FormatError} if the rest of the file cannot be read.
   */
  read(
    input: AsyncIterable<Uint8Array>,
    note: Note,
    file: string
  ): AsyncGenerator<Omit<ImportRecord<LineOf>, 'unreadable'>>
  /** Writes templates. `pages` may be called more than once. */
  write(pages: () => AsyncIterable<ProductTemplate[]>, note: Note): AsyncGenerator<string | Uint8Array>
}

/** Takes a message, such as an assumption about a file, or what a file does not have. */
export type Note = (message: string) => void

/** The place of a record. */
export interface Place {
  file: string
  /** From 1. A file that is one record has no line. */
  line?: number | undefined
  /** The number of the character in the line, from 1, or the name of the column. */
  column?: number | string | undefined
  /** Returns the name of the column that has the problem. */
  findColumn?: (problem: Problem) => string | undefined
}

/** The place of a record in its file. */
export type LineOf = Omit<Place, 'file'>

/** Formats the place of a problem: `file:line:column`; the file alone if it is one record. */
export function formatPlace({ file, line, column }: Place): string {
  const name = typeof column === 'string' ? ` column ${column}` : ''
  if (line === undefined) return file
  return `${file}:${line}${typeof column === 'number' ? `:${column}` : ''}${name}`
}

/** Converts an error of JSON.parse to a problem with its place. Rethrows any other error. */
export function locateMistake(error: unknown, text: string, line: number) {
  if (error instanceof RangeError)
    return { problems: [makeProblem('UNREADABLE', 'the JSON is nested too deeply')], place: { line } }
  if (!(error instanceof SyntaxError)) throw error
  const [, offset] = /at position (\d+)/.exec((error as Error).message) ?? []
  const found = findPosition(text, Number(offset ?? 0))
  return {
    problems: [makeProblem('UNREADABLE', 'this is not valid JSON')],
    place: {
      line: line + found.line - 1,
      column: offset === undefined ? undefined : found.column
    }
  }
}

/** Formats of files, and the options that they add to the commands. */
export interface FileFormats {
  /** The extensions of files by the name of their format, which is one of them. */
  extensions: Record<string, string[]>
  /** The name of the format of folders, which only one feature may have. */
  folders?: string
  importOptions?: Options
  exportOptions?: Options
  load(): Promise<{ formats: LoadedFormats }>
}

export interface LoadedFormats {
  /** Begins an import: checks the options that it has added. If they ask for something else, does that instead. */
  openImport(call: Call, files: GivenFile[]): Promise<OpenImport | undefined>
  /** Makes the functions that write files, by extension. */
  makeWriters(options: OptionValues): Record<string, Format['write']>
  /** Writes templates to a folder, which must be empty or not exist. Counts those that it leaves out. */
  writeFolder?(
    folder: string,
    pages: AsyncIterable<ProductTemplate[]>,
    options: { settings: ProcessSettings; note: Note }
  ): Promise<{ exported: number; notPublic: number }>
}

/** A file or folder that the user named. */
export interface GivenFile {
  /** `-` is standard input. */
  path: string
  /** Names it in messages. */
  name: string
  /** Stands for its format; undefined for a folder. */
  extension: string | undefined
  /** Opens it. Throws UsageError if it cannot be read. */
  open(): Promise<AsyncIterable<Uint8Array>>
}

/** An import whose options are checked. */
export interface OpenImport {
  /** Whether its readers look up templates in the index, which must then be complete. */
  needsIndex?: boolean
  /** Makes the functions that read files, by extension. `db` is the transaction of the import. */
  makeReaders(db: Db, options: ImportOptions<never>): Record<string, Format['read']>
  /** Opens a folder. Throws UsageError if it cannot be read. */
  openFolder?: ((path: string) => Promise<Input>) | undefined
}

/** An opened file or folder: reads its records. */
export interface Input {
  /** Size in bytes; 0 if unknown. */
  size: number
  /** Number of entries of a folder that are not imported. */
  ignored?: number
  /** Reads the records. Calls `count` with the number of bytes read. */
  read(count: (bytes: number) => void, reading: Reading): AsyncIterable<ImportRecord<Place>>
}

/** What reading an input needs. */
export interface Reading {
  /** Reads a file, by extension. */
  readers: Record<string, Format['read']>
  note: Note
}
