import type { ImportRecord } from '../../db/templates/import/import.ts'
import { FormatError } from '../../domain/format-error.ts'
import { makeProblem } from '../../domain/validation/problem.ts'
import { parseExactly } from '../../runtime/exact-json.ts'
import { findPosition } from '../../runtime/json-values.ts'
import type { Format, LineOf, LoadedFormats } from '../../terminal/file-format.ts'
import { decodeUtf8 } from './decode.ts'
import { maxRecordSize, splitItems } from './json-items.ts'

/** One JSON array of objects. */
export const json: Format = {
  async *read(input) {
    for await (const { text, line } of splitItems(decodeUtf8(input))) yield parseRecord(text, line)
  },

  async *write(pages) {
    let separator = '[\n'
    for await (const templates of pages()) {
      yield separator + templates.map(template => JSON.stringify(template)).join(',\n')
      separator = ',\n'
    }
    yield separator === '[\n' ? '[]\n' : '\n]\n'
  }
}

/** One JSON object per line, https://github.com/ndjson/ndjson-spec. Empty lines are ignored. */
export const ndjson: Format = {
  async *read(input) {
    let line = 0
    for await (const text of splitLines(decodeUtf8(input))) {
      line++
      if (text.trim() !== '') yield parseRecord(text, line)
    }
  },

  async *write(pages) {
    for await (const templates of pages())
      yield templates.map(template => `${JSON.stringify(template)}\n`).join('')
  }
}

export const formats: LoadedFormats = {
  openImport: async () => ({
    makeReaders: () => ({ json: json.read, ndjson: ndjson.read, jsonl: ndjson.read })
  }),
  makeWriters: () => ({ json: json.write, ndjson: ndjson.write, jsonl: ndjson.write })
}

/** Parses the JSON text of one record. */
function parseRecord(text: string, line: number): ImportRecord<LineOf> {
  try {
    return { values: parseValues(text), place: { line } }
  } catch (error) {
    return locateMistake(error, text, line)
  }
}

function parseValues(text: string) {
  const values = JSON.parse(text)
  const { document } = (values ?? {}) as { document?: unknown }
  const hasDocument = typeof document === 'object' && document !== null
  return hasDocument ? { ...values, document: parseExactly(text).document } : values
}

/** Converts an error of JSON.parse to a problem with its place. Rethrows any other error. */
export function locateMistake(error: unknown, text: string, line: number) {
  if (error instanceof RangeError)
    return { problems: [makeProblem('UNREADABLE', 'the JSON is nested too deeply')], place: { line } }
  if (!(error instanceof SyntaxError)) throw error
  const [, offset] = /at position (\d+)/.exec((error as Error).message) ?? []
  const found = findPosition(text, Number(offset ?? 0))
  return {
    problems: [makeProblem('UNREADABLE', 'this is not valid JSON')],
    place: {
      line: line + found.line - 1,
      column: offset === undefined ? undefined : found.column
    }
  }
}

/** Splits a text into its lines. */
async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let count = 1
  for await (const chunk of text) {
    const lines = chunk.split('\n')
    lines[0] = rest + lines[0]
    rest = lines.pop() as string
    yield* lines
    count += lines.length
    if (rest.length > maxRecordSize)
      throw new FormatError(`the line is longer than ${maxRecordSize} characters`, { line: count })
  }
  if (rest !== '') yield rest
}
