/** Maximum characters of a row. */
export const maxRecordSize = 2 ** 24

/** Options of csv-parse: any number of cells, quotes as in RFC 4180, and any line endings. */
export const csvParseOptions = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  max_record_size: maxRecordSize,
  // Needed for counting lines, because `info.lines` counts CRLF in quotes twice.
  raw: true
}

/**
 * Options of csv-stringify. By default, it would not quote a cell with a lone CR or LF, nor one with another delimiter,
 * which {@link guessDelimiter} would count.
 */
export const csvStringifyOptions = { record_delimiter: '\r\n', quoted_match: /[\r\n,;\t]|^\s|\s$/ }

/** Counts the line breaks in the text of a row. */
export const countLines = (raw: string): number => raw.match(/\r\n?|\n/g)?.length ?? 0

/** Describes an error of csv-parse. */
export function describeError(code: string): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return `the row is longer than ${maxRecordSize} characters`
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'a quoted cell does not end'
    : 'a quote is out of place: write a cell with quotes in quotes, and each of its quotes twice'
}

/** The possible delimiters. Of two with the same score, the first one wins. */
const delimiters = [';', '\t', ',']
/** Maximum number of lines, and of their characters, for guessing the delimiter. */
const maxLines = 10
const maxHeaderLength = 2 ** 20

/** Guesses the delimiter from the beginning of a text. `whole` is the text from its beginning. */
export async function findDelimiter(
  text: AsyncGenerator<string>
): Promise<{ delimiter: string; whole: AsyncGenerator<string> }> {
  let begin = ''
  for (let done = false; !done && countLines(begin) < maxLines && begin.length < maxHeaderLength; ) {
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
 * Guesses the delimiter from the first lines. It is the one that most lines have equally often outside of quotes. A
 * title, or commas in texts and numbers, then have little influence.
 */
export function guessDelimiter(text: string): string {
  const lines = text
    .slice(0, maxHeaderLength)
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
