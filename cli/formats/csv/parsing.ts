import { maxRecordSize } from '../format.ts'

/** Options of csv-parse: cells of any number, quoted by RFC 4180, line endings of any kind. */
export const parsing = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  max_record_size: maxRecordSize,
  // For the line: `info.lines` counts CRLF in quotes twice.
  raw: true
}

/** Line breaks in the text of a row. */
export const countLines = (raw: string): number => raw.match(/\r\n?|\n/g)?.length ?? 0

/** Says what an error of csv-parse means. */
export function describeError(code: string): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return `the row is longer than ${maxRecordSize} characters`
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'a quoted cell does not end'
    : 'a quote is out of place: write a cell with quotes in quotes, and each of its quotes twice'
}
