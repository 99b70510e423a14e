import { stringify } from 'csv-stringify/browser/esm/sync'
import { fieldNames, type ProductTemplate } from '../../domain/columns.ts'
import { guardCell } from '../../features/spreadsheets/tables/cell.ts'
import { type FoundColumns, findColumns, type TableColumn } from '../../features/spreadsheets/tables/columns.ts'
import { csvStringifyOptions } from '../../features/spreadsheets/tables/csv.ts'
import { writeRow } from '../../features/spreadsheets/tables/row.ts'
import { maxPageSize, readTemplates } from '../all-templates.ts'
import type { ExportTarget, Format } from './export-dialog.tsx'

interface Reading {
  stop: AbortSignal
  /** Called with the number of templates read so far. */
  progress: (done: number) => void
}

/**
 * Writes templates to a file. Spreadsheets have no column `data`. The note says what the file does not have. Throws a
 * FormatError if the format cannot hold the templates.
 */
export async function exportFile(
  target: ExportTarget,
  format: Format,
  reading: Reading
): Promise<{ file: Blob; note: string }> {
  const pages = () => readPages(target, reading)
  const parts: Blob[] = []
  const found: FoundColumns =
    format === 'ndjson' ? { columns: [], note: '' } : await findColumns(pages(), true)
  for await (const part of writers[format](pages, found)) parts.push(new Blob([part as BlobPart]))
  return { file: new Blob(parts), note: found.note }
}

type Pages = () => AsyncGenerator<ProductTemplate[]>
type Writer = (pages: Pages, found: FoundColumns) => AsyncGenerator<string | Uint8Array>

const writers: Record<Format, Writer> = {
  async *csv(pages, { columns }) {
    // The byte order mark tells spreadsheet programs that the file is UTF-8.
    yield `\uFEFF${stringify([headersOf(columns)], csvStringifyOptions)}`
    for await (const templates of pages())
      yield stringify(
        templates.map(template => writeRow(template, columns)),
        csvStringifyOptions
      )
  },
  async *xlsx(pages, { columns }) {
    const { writeXlsx } = await import('../../features/spreadsheets/tables/xlsx/write.ts')
    async function* rows() {
      for await (const templates of pages())
        for (const template of templates) yield writeRow(template, columns)
    }
    yield* writeXlsx(headersOf(columns), rows())
  },
  async *ndjson(pages) {
    for await (const templates of pages())
      yield templates.map(template => `${JSON.stringify(template)}\n`).join('')
  }
}

const headersOf = (columns: TableColumn[]): string[] => columns.map(({ header }) => guardCell(header))

/** Reads the templates in pages, ordered by id. */
async function* readPages(
  target: ExportTarget,
  { stop, progress }: Reading
): AsyncGenerator<ProductTemplate[]> {
  let done = 0
  for (const where of 'ids' in target ? inParts(target.ids) : [target.where])
    for await (const templates of readTemplates<ProductTemplate>(fieldNames, where, stop)) {
      yield templates
      done += templates.length
      progress(done)
    }
}

const inParts = (ids: number[]): object[] => {
  const sorted = ids.toSorted((one, other) => one - other)
  return Array.from({ length: Math.ceil(ids.length / maxPageSize) }, (_, part) => ({
    id: { in: sorted.slice(part * maxPageSize, (part + 1) * maxPageSize) }
  }))
}
