/** A cell that a spreadsheet may run as a formula, guarded or not, https://owasp.org/www-community/attacks/CSV_Injection */
const formula = /^'*[=+\-@＝＋－＠\t\r\n]/
/** Where a formula may begin inside a cell: after a character that a spreadsheet may take for a delimiter. */
const unguarded = /[;\t\r\n](?=["']*[=+\-@＝＋－＠])/g
const guarded = /([;\t\r\n])'(?=["']*[=+\-@＝＋－＠])/g
/** An integer as JSON writes it. */
export const integer = /^(?:0|-?[1-9]\d*)$/

/** Guards a cell by apostrophes against spreadsheets that would run it. An integer is no formula. */
export function guardCell(cell: string): string {
  if (integer.test(cell)) return cell
  const inside = cell.replace(unguarded, "$&'")
  return formula.test(inside) ? `'${inside}` : inside
}

/** Reverses {@link guardCell}. */
export const unguardCell = (cell: string): string =>
  (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell).replace(guarded, '$1')

/** Whether a file can hold a text: it has no lone surrogate, and no U+0000, at which many programs end a text. */
const isWritable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Writes a text; one that would be read as another is a JSON string. */
export const writeText = (text: string): string =>
  isWritable(text) && readText(text) === text ? text : JSON.stringify(text)

/** Reads a text; undefined if the cell is empty. */
export function readText(cell: string): string | undefined {
  if (cell === '') return undefined
  const parsed = cell.startsWith('"') ? tryParseExactly(cell) : undefined
  return typeof parsed === 'string' ? parsed : cell
}

/** Writes a JSON value; one that is absent, undefined, is empty. */
export function writeValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? ''
  return isWritable(value) && readValue(value) === value ? value : JSON.stringify(value)
}

/** Cells that are no text. Spreadsheets write true and false in capitals. */
const words = new Map<string, unknown>([
  ['', undefined],
  ['null', null],
  ['true', true],
  ['TRUE', true],
  ['false', false],
  ['FALSE', false]
])

/** Reads an integer, true or false, null, a JSON list, object or string, or any other text as it is. */
export function readValue(cell: string): unknown {
  if (words.has(cell)) return words.get(cell)
  if (integer.test(cell)) return Number.isSafeInteger(Number(cell)) ? Number(cell) : cell
  return /^["[{]/.test(cell) ? (tryParseExactly(cell) ?? cell) : cell
}

/** Parses JSON; undefined if it is none. */
export function tryParseExactly(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}

/** Parses JSON so that JSON.stringify writes each number as it was, also one that no JavaScript number equals. */
export function parseExactly(text: string): Record<string, unknown> {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && JSON.stringify(value) !== source ? json.rawJSON(source as string) : value
  )
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

// TypeScript's library does not have them yet.
const json = JSON as unknown as {
  parse(text: string, reviver: Reviver): Record<string, unknown>
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}

export const { isRawJSON } = json
