import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { findPosition, isObject } from '../../../../runtime/json-values.ts'

/** A record of a file: a template or a problem. */
export interface FileRecord {
  /** The line of NDJSON or the position in the JSON array, from 1. */
  place: number
  value?: Record<string, unknown>
  problem?: string
}

/** Parses a JSON array of templates or NDJSON. Throws an Error with a message for the user. */
export function parseRecords(text: string): FileRecord[] {
  const trimmed = text.trim()
  if (trimmed === '') throw new Error('The file is empty.')
  if (trimmed.startsWith('[')) return parseArray(trimmed)
  return trimmed
    .split(/\r?\n/)
    .map((line, at) => ({ line, place: at + 1 }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, place }) => ({ place, ...parseLine(line) }))
}

function parseArray(text: string): FileRecord[] {
  const errors: ParseError[] = []
  const found = parse(text, errors, { disallowComments: true })
  const [first] = errors
  if (first) {
    const { line } = findPosition(text, first.offset)
    throw new Error(`The file is not JSON: ${printParseErrorCode(first.error)} in line ${line}.`)
  }
  return (found as unknown[]).map((value, at) => ({ place: at + 1, ...asRecord(value) }))
}

function parseLine(line: string): Omit<FileRecord, 'place'> {
  try {
    return asRecord(JSON.parse(line))
  } catch {
    return { problem: 'the line is not JSON' }
  }
}

const asRecord = (value: unknown): Omit<FileRecord, 'place'> =>
  isObject(value) ? { value } : { problem: 'a template must be an object' }
