import { type CsvError, parse } from 'csv-parse/browser/esm/sync'
import { FormatError } from '../../../../domain/format-error.ts'
import { countLines, csvParseOptions, describeError, guessDelimiter } from '../../tables/csv.ts'
import type { TableRow } from '../../tables/table.ts'

/** Parses CSV. Throws a FormatError. */
export function parseCsv(text: string): TableRow[] {
  let line = 1
  try {
    const found = parse(text, { ...csvParseOptions, delimiter: guessDelimiter(text) })
    return (found as unknown as { record: string[]; raw: string }[]).map(({ record: cells, raw }) => {
      const row = { cells, line, isLast: !/[\r\n]$/.test(raw) }
      line += countLines(raw)
      return row
    })
  } catch (error) {
    const { code, lines } = error as CsvError & { lines?: number }
    throw new FormatError(describeError(code), { line: lines ?? line })
  }
}
