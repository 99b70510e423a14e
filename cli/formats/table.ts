import type { ImportRecord } from '../../db/templates/import/import.ts'
import type { Mapping } from '../../tables/mapping.ts'
import {
  type FindTemplates,
  mappingOfExport,
  openTable,
  readTable,
  type Table
} from '../../tables/read-table.ts'
import { TableError, type TableRow } from '../../tables/table.ts'
import type { LineOf } from './format.ts'

/** How to read tables. */
export interface TableOptions {
  /** What the columns become; without it, they must be those of an export. */
  mapping?: Mapping | undefined
  /** The sheet of a workbook; by default the first one. */
  sheet?: string | undefined
  find: FindTemplates
  /** The keys of the rows so far, in all tables. */
  seen?: Map<string, number>
}

/** Reads the rows of a table as records. Throws TableError. */
export async function* readRecords(
  rows: AsyncGenerator<TableRow>,
  { mapping, find, seen }: TableOptions
): AsyncGenerator<ImportRecord<LineOf>> {
  const table = await openTable(rows)
  for await (const record of readTable(table, mapping ?? requireExport(table), find, seen)) {
    const { row, values, problems, findColumn } = record
    yield { values, problems, place: { line: row.line, findColumn } }
  }
}

/** Throws TableError, which says how to read another table. */
function requireExport(table: Table): Mapping {
  try {
    return mappingOfExport(table)
  } catch (error) {
    if (error instanceof TableError) error.message += '; --mapping says what other columns become'
    throw error
  }
}
