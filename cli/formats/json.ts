import type { ImportRecord } from '../../db/templates/import/report.ts'
import { FormatError } from '../../domain/format-error.ts'
import { parseExactly } from '../../runtime/exact-json.ts'
import { type Format, type LineOf, type LoadedFormats, locateMistake } from '../../terminal/file-format.ts'
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

/** Decodes UTF-8, without its byte order mark. Throws {@link FormatError} with the line of a byte that is not UTF-8. */
async function* decodeUtf8(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  const decode = (bytes: Uint8Array, stream: boolean): string => {
    try {
      return decoder.decode(bytes, { stream })
    } catch {
      throw new FormatError('the file is not in UTF-8', { line: line + countLinesBefore(bytes) })
    }
  }
  for await (const bytes of input) {
    const text = decode(bytes, true)
    yield text
    line += countBreaks(text)
  }
  yield decode(new Uint8Array(), false)
}

/** Counts the lines before a wrong byte, which may also be at the end of the bytes before. */
function countLinesBefore(bytes: Uint8Array): number {
  // The first bytes may be the rest of a character.
  const begin = bytes.findIndex(byte => byte >> 6 !== 0b10)
  const text = new TextDecoder().decode(bytes.subarray(Math.max(0, begin)))
  return countBreaks(text.slice(0, Math.max(0, text.indexOf('\ufffd'))))
}

const countBreaks = (text: string): number => text.split('\n').length - 1
