import type { ImportRecord } from '../../db/templates/import/import.ts'
import { parseExactly } from '../../tables/exact-json.ts'
import { type Format, type LineOf, unreadable } from './format.ts'
import { splitItems } from './json-items.ts'
import { decodeText, splitLines } from './text.ts'

/** One JSON array of objects. */
export const json: Format = {
  async *read(input) {
    for await (const { text, line } of splitItems(decodeText(input))) yield parseRecord(text, line)
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

/** One JSON object in each line, https://github.com/ndjson/ndjson-spec. Empty lines are ignored. */
export const ndjson: Format = {
  async *read(input) {
    let line = 0
    for await (const text of splitLines(decodeText(input))) {
      line++
      if (text.trim() !== '') yield parseRecord(text, line)
    }
  },

  async *write(pages) {
    for await (const templates of pages())
      yield templates.map(template => `${JSON.stringify(template)}\n`).join('')
  }
}

/** Parses the JSON text of one record. */
function parseRecord(text: string, line: number): ImportRecord<LineOf> {
  try {
    const values = JSON.parse(text)
    const { document } = (values ?? {}) as { document?: unknown }
    if (typeof document === 'object' && document !== null) values.document = parseExactly(text).document
    return { values, place: { line } }
  } catch (error) {
    return locateMistake(error, text, line)
  }
}

/** Makes the problem of an error of JSON.parse. */
export function locateMistake(error: unknown, text: string, line: number) {
  if (error instanceof RangeError)
    return { problems: [unreadable('the JSON is nested too deeply')], place: { line } }
  const position = /at position (\d+)/.exec((error as Error).message)?.[1]
  const before = text.slice(0, Number(position ?? 0)).split('\n')
  return {
    problems: [unreadable('this is not valid JSON')],
    place: {
      line: line + before.length - 1,
      column: position === undefined ? undefined : (before.at(-1) ?? '').length + 1
    }
  }
}
