import type { ImportRecord, Problem } from '../../db/templates/import/import.ts'
import type { ProductTemplate } from '../../domain/columns.ts'
import type { ReadOptions, TableRow } from '../../features/spreadsheets/tables/table.ts'
import type { TableOptions } from '../../features/spreadsheets/formats.ts'

/** The option of commands that selects a format. `opensea` is the format of folders. */
export const formatOption = {
  '--format <format>': {
    help: 'default: by the name of the file, ndjson for -, opensea for a folder',
    choices: ['json', 'ndjson', 'csv', 'xlsx', 'opensea']
  }
}

/** A file format of templates. */
export interface Format {
  /** Reads the rows of a table. Absent if the format is not a table. */
  rows?(input: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncGenerator<TableRow>
  /**
   * Reads records. A record that cannot be read has problems. Throws {@link FormatError} if the rest of the file
   * cannot be read.
   */
  read(
    input: AsyncIterable<Uint8Array>,
    table: TableOptions
  ): AsyncGenerator<Omit<ImportRecord<LineOf>, 'unreadable'>>
  /** Writes templates. `pages` may be called more than once. */
  write(
    pages: () => AsyncIterable<ProductTemplate[]>,
    options: WriteOptions
  ): AsyncGenerator<string | Uint8Array>
}

/** The options for writing a table. */
export interface WriteOptions {
  /** Omits the column `data`. */
  withoutData?: boolean | undefined
  /** Called with a message about the values that the table does not have. */
  note?: ((message: string) => void) | undefined
}

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

/** A file or folder to import. */
export interface Input {
  /** Size in bytes; 0 if unknown. */
  size: number
  /** Number of entries of a folder that are not imported. */
  ignored?: number
  /** Reads the records. Calls `count` with the number of bytes read. */
  read(count: (bytes: number) => void, table: TableOptions): AsyncIterable<ImportRecord<Place>>
}
