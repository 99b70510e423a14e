import { fieldNames, type ProductTemplate } from '../../domain/columns.ts'
import type { ExportFormat } from '../additions.ts'
import { maxPageSize, readTemplates } from '../all-templates.ts'
import type { ExportTarget } from './export-dialog.tsx'

interface Reading {
  stop: AbortSignal
  /** Called with the number of templates read so far. */
  progress: (done: number) => void
}

/**
 * Writes templates to a file. The note says what the file does not have. Throws an Error if the format cannot hold the
 * templates.
 */
export async function exportFile(
  target: ExportTarget,
  format: ExportFormat,
  reading: Reading
): Promise<{ file: Blob; note: string }> {
  const { writeFile } = await format.load()
  const { parts, note } = await writeFile(() => readPages(target, reading))
  const written: Blob[] = []
  for await (const part of parts) written.push(new Blob([part as BlobPart]))
  return { file: new Blob(written), note }
}

/** Reads the templates in pages, ordered by id. */
async function* readPages(
  target: ExportTarget,
  { stop, progress }: Reading
): AsyncGenerator<ProductTemplate[]> {
  let done = 0
  for (const where of 'ids' in target ? inPages(target.ids) : [target.where])
    for await (const templates of readTemplates<ProductTemplate>(fieldNames, where, stop)) {
      yield templates
      done += templates.length
      progress(done)
    }
}

const inPages = (ids: number[]): object[] => {
  const sorted = ids.toSorted((one, other) => one - other)
  return Array.from({ length: Math.ceil(ids.length / maxPageSize) }, (_, part) => ({
    id: { in: sorted.slice(part * maxPageSize, (part + 1) * maxPageSize) }
  }))
}
