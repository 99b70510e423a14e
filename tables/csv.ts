/** Maximum characters of a record. */
export const maxRecordSize = 2 ** 24

/** Options of csv-parse: cells of any number, quoted by RFC 4180, line endings of any kind. */
export const parsing = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  max_record_size: maxRecordSize,
  // For the line: `info.lines` counts CRLF in quotes twice.
  raw: true
}

/** Options of csv-stringify. By default a cell with a lone CR or LF would not be quoted. */
export const writing = { record_delimiter: '\r\n', quoted_match: /[\r\n]|^\s|\s$/ }

/** Line breaks in the text of a row. */
export const countLines = (raw: string): number => raw.match(/\r\n?|\n/g)?.length ?? 0

/** Says what an error of csv-parse means. */
export function describeError(code: string): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return `the row is longer than ${maxRecordSize} characters`
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'a quoted cell does not end'
    : 'a quote is out of place: write a cell with quotes in quotes, and each of its quotes twice'
}

/** Of two that are as likely, the first. */
const delimiters = [';', '\t', ',']
/** Lines, and their characters, in which the delimiter is looked for. */
const maxLines = 10
const maxHeader = 2 ** 20

/** Finds the delimiter. `whole` is the text from its start. */
export async function findDelimiter(
  text: AsyncGenerator<string>
): Promise<{ delimiter: string; whole: AsyncGenerator<string> }> {
  let begin = ''
  for (let done = false; !done && countLines(begin) < maxLines && begin.length < maxHeader; ) {
    const next = await text.next()
    begin += next.value ?? ''
    done = next.done === true
  }
  const delimiter = guessDelimiter(begin)
  async function* whole() {
    yield begin
    yield* text
  }
  return { delimiter, whole: whole() }
}

/**
 * Guesses the delimiter from the first lines: the one that most of them have equally often outside of quotes. A title, a
 * text with commas, or numbers with them decide less.
 */
export function guessDelimiter(text: string): string {
  const lines = text
    .slice(0, maxHeader)
    .replaceAll(/"[^"]*"?/g, '')
    .split(/[\r\n]+/)
    .slice(0, maxLines)
  const scoreOf = (delimiter: string): number => {
    const counts = Map.groupBy(lines, line => line.split(delimiter).length - 1)
    return Math.max(...[...counts].map(([count, { length }]) => count * length))
  }
  const scores = delimiters.map(scoreOf)
  return delimiters[scores.indexOf(Math.max(...scores))] as string
}
