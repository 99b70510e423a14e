import type { ImportRecord } from '../../db/templates/import/import.ts'
import { parseExactly } from './exact-json.ts'
import { type LineOf, unreadable } from './format.ts'

/** Parses the JSON text of one record. */
export function parseRecord(text: string, line: number): ImportRecord<LineOf> {
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
