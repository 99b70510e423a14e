import type { WriteFile } from '../../../explorer/additions.ts'
import { findColumns } from '../tables/columns.ts'
import { writeHeader, writeRow } from '../tables/row.ts'
import { writeXlsx } from '../tables/xlsx/write.ts'

/** Writes a workbook without the column `data`. Rejects with a FormatError if a sheet cannot hold the templates. */
export const writeFile: WriteFile = async pages => {
  const { columns, note } = await findColumns(pages(), true)
  async function* rows() {
    for await (const templates of pages()) for (const template of templates) yield writeRow(template, columns)
  }
  return { parts: writeXlsx(writeHeader(columns), rows()), note }
}
