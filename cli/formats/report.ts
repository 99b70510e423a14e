import type { ImportProblem, ImportResult } from '../../db/templates/import/report.ts'
import { toPointer } from '../../domain/validation/problem.ts'
import { formatPlace, type Place } from '../../terminal/file-format.ts'

/** Formats a problem as one line: its place, its message, and the JSON Pointer to the field or into `data`. */
export function formatImportProblem(problem: ImportProblem<Place>): string {
  const { message, path, pointer, warning } = problem
  const place = pointer === null ? toPointer(path) : `data: ${pointer}`
  const end = place === '' ? '' : ` (${place})`
  return `${formatPlace({ ...problem.place, column: findColumn(problem) })}: ${warning ? 'warning: ' : ''}${message}${end}`
}

const findColumn = ({ place, ...problem }: ImportProblem<Place>): string | number | undefined =>
  place.findColumn?.(problem) ?? place.column

/** Describes the result of an import in one line. */
export function describeResult(
  { written, problems, ...counts }: ImportResult<Place>,
  dryRun: boolean
): string {
  const refused = `${counts.refused} of ${counts.read} records ${counts.refused === 1 ? 'has' : 'have'} problems`
  if (counts.refused > 0 && !written) {
    const hint = problems.some(({ code }) => code === 'ID_TAKEN')
      ? ': --keep or --replace existing templates'
      : ''
    return `${refused}; nothing was written${hint}`
  }
  const parts = [
    `${counts.inserted} new`,
    `${counts.replaced} replaced`,
    `${counts.unchanged} unchanged`,
    `${counts.kept} kept`
  ]
  const shown = parts.filter((part, index) => index === 0 || !part.startsWith('0 ')).join(', ')
  const skipped = counts.refused > 0 ? `; ${refused} and were skipped` : ''
  return dryRun ? `No problems: ${shown}. Nothing was written.` : `Imported templates: ${shown}${skipped}.`
}

/** Describes how many entries of folders are not imported. */
export const describeIgnored = (count: number): string =>
  count === 1
    ? 'Ignored 1 entry whose name is not an id.'
    : `Ignored ${count} entries whose names are not ids.`

/** Converts the result to JSON, with flat places of problems. */
export function summarize(
  { problems, ids: _, ...counts }: ImportResult<Place>,
  { ignored, notes }: { ignored: number; notes: string[] }
) {
  return {
    ...counts,
    ignored,
    notes,
    problems: problems.map(problem => {
      const { place, index: _, ...rest } = problem
      return { file: place.file, line: place.line, column: findColumn(problem), ...rest }
    })
  }
}
