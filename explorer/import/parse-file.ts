import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'

/** A record of a file: a template, or what is wrong with its line. */
export interface FileRecord {
  /** Line of CSV or NDJSON, or place in a JSON array, from 1. */
  place: number
  value?: Record<string, unknown>
  problem?: string
  /** Returns the name of the column of CSV that has a problem. */
  findColumn?: (problem: { path: string[]; pointer: string | null }) => string | undefined
}

/** Reads a file of templates: a JSON array, an object in each line, or CSV. Throws an Error that says what is wrong. */
export async function parseFile(file: File): Promise<FileRecord[]> {
  const text = decode(await file.arrayBuffer())
  if (!isCsv(file.name, text)) return parseJson(text)
  // Few people need it, and it is large.
  const { parseCsv } = await import('./parse-csv.ts')
  return parseCsv(text)
}

/** Decodes UTF-8, without a byte order mark. */
function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error('The file is not in UTF-8: save it as UTF-8.')
  }
}

/** By the name, or where that says nothing by how the text begins. */
const isCsv = (name: string, text: string): boolean =>
  /\.(csv|tsv)$/i.test(name) || !(/\.(json|ndjson|jsonl)$/i.test(name) || /^\s*([[{]|$)/.test(text))

function parseJson(text: string): FileRecord[] {
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
    const line = text.slice(0, first.offset).split('\n').length
    throw new Error(`The file is not JSON: ${printParseErrorCode(first.error)} in line ${line}.`)
  }
  return (found as unknown[]).map((value, at) => ({ place: at + 1, ...asRecord(value) }))
}

function parseLine(line: string): Omit<FileRecord, 'place'> {
  try {
    return asRecord(JSON.parse(line))
  } catch {
    return { problem: 'is not JSON' }
  }
}

const asRecord = (value: unknown): Omit<FileRecord, 'place'> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { value: value as Record<string, unknown> }
    : { problem: 'is not an object' }
