import { stringify } from 'csv-stringify/browser/esm/sync'
import type { WriteFile } from '../../../explorer/additions.ts'
import { findColumns } from '../tables/columns.ts'
import { csvStringifyOptions } from '../tables/csv.ts'
import { writeHeader, writeRow } from '../tables/row.ts'

/** Writes a table without the column `data`. */
export const writeFile: WriteFile = async pages => {
  const { columns, note } = await findColumns(pages(), true)
  async function* parts() {
    // The byte order mark tells spreadsheet programs that the file is UTF-8.
    yield `\uFEFF${stringify([writeHeader(columns)], csvStringifyOptions)}`
    for await (const templates of pages())
      yield stringify(
        templates.map(template => writeRow(template, columns)),
        csvStringifyOptions
      )
  }
  return { parts: parts(), note }
}
