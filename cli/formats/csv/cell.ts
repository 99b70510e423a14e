import { parseExactly } from '../exact-json.ts'

/**
 * Where a spreadsheet may begin to run a formula, guarded or not: in front of a cell, and behind what it may take for a
 * delimiter in it. Quotes may come first. https://owasp.org/www-community/attacks/CSV_Injection
 */
const [front, inside] = [`(?='*[=+\\-@＝＋－＠\\t\\r\\n])`, `(?=["']*[=+\\-@＝＋－＠])`]
const unguarded = new RegExp(`^${front}|[;\\t\\r\\n]${inside}`, 'g')
const guarded = new RegExp(`^'${front}|([;\\t\\r\\n])'${inside}`, 'g')
const integer = /^(?:0|-?[1-9]\d*)$/

/** Guards a cell by apostrophes against spreadsheets that would run it. An integer is no formula. */
export const guardCell = (cell: string): string =>
  integer.test(cell) ? cell : cell.replace(unguarded, "$&'")

/** Reverses {@link guardCell}. */
export const unguardCell = (cell: string): string => cell.replace(guarded, '$1')

/** Writes a text; one that would be read as another is a JSON string. */
export const writeText = (text: string): string => (readText(text) === text ? text : JSON.stringify(text))

/** Reads a text; undefined if the cell is empty. */
export function readText(cell: string): string | undefined {
  if (cell === '') return undefined
  const parsed = cell.startsWith('"') ? parseJson(cell) : undefined
  return typeof parsed === 'string' ? parsed : cell
}

/** Writes a JSON value; one that is absent, undefined, is empty. */
export function writeValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? ''
  // A file cannot have half of a surrogate pair, and many programs end a text at U+0000.
  const isPlain = value.isWellFormed() && !value.includes('\0') && readValue(value) === value
  return isPlain ? value : JSON.stringify(value)
}

/** Reads an integer, true or false, null, a JSON list, object or string, or any other text as it is. */
export function readValue(cell: string): unknown {
  if (cell === '') return undefined
  if (integer.test(cell)) return Number.isSafeInteger(Number(cell)) ? Number(cell) : cell
  // Spreadsheets write them in capitals.
  if (cell === 'true' || cell === 'TRUE') return true
  if (cell === 'false' || cell === 'FALSE') return false
  if (cell === 'null') return null
  return /^["[{]/.test(cell) ? (parseJson(cell) ?? cell) : cell
}

function parseJson(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}
