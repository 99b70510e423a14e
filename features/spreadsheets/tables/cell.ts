import { isStorable } from '../../../domain/text.ts'
import { parseExactly } from '../../../runtime/exact-json.ts'
import { integer, parseInteger } from '../../../runtime/json-values.ts'

/**
 * A cell that a spreadsheet may run as a formula, or that is already guarded against that,
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^'*[=+\-@＝＋－＠\t\r\n]/
/** A place in a cell where a formula may begin: after a character that a spreadsheet may read as a delimiter. */
const unguarded = /[;\t\r\n](?=["']*[=+\-@＝＋－＠])/g
const guarded = /([;\t\r\n])'(?=["']*[=+\-@＝＋－＠])/g

/** Adds apostrophes, so that no spreadsheet runs the cell as a formula. An integer is not a formula. */
export function guardCell(cell: string): string {
  if (integer.test(cell)) return cell
  const inside = cell.replace(unguarded, "$&'")
  return formula.test(inside) ? `'${inside}` : inside
}

/** Reverses {@link guardCell}. */
export const unguardCell = (cell: string): string =>
  (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell).replace(guarded, '$1')

/**
 * The errors of formulas in English, German, French, Spanish, Italian and Portuguese, those of ranges that find no
 * place and of linked data, and those of LibreOffice.
 */
const sheetError =
  /^(?:#[¡¿]?(?:N\/A|NV|N\/D|DIV\/0!|(?:REF|BEZUG|RIF|VALUE|WERT|VALEUR|VALORE?|N[UÚ]M|ZAHL|NOMBRE|NULL?O?|CALC|KALK|SPILL|ÜBERLAUF|PROPAGATION|[EÉ]PARS|DESBORDAMIENTO|ESPANSIONE|DESPEJAR|FIELD|BLOCKED|CONNECT|UNKNOWN|BUSY|EXTERNAL|PYTHON)!|(?:NAME|NOM|NOMBRE|NOME)\?|GETTING_DATA)|Err:5\d\d)$/

/** Whether a spreadsheet has put an error in the place of a value. */
export const isSheetError = (cell: string): boolean => /^[#E]/.test(cell) && sheetError.test(cell)

/** Writes a text as a cell. A text that would be read differently, or that files cannot hold, becomes a JSON string. */
export const writeText = (text: string): string =>
  isStorable(text) && readText(text) === text && !isSheetError(text) ? text : JSON.stringify(text)

/** Reads a text; undefined if the cell is empty. */
export function readText(cell: string): string | undefined {
  if (cell === '') return undefined
  const parsed = cell.startsWith('"') ? tryParseExactly(cell) : undefined
  return typeof parsed === 'string' ? parsed : cell
}

/** Writes a JSON value as a cell. undefined becomes an empty cell. */
export function writeValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? ''
  return isStorable(value) && readValue(value) === value && !isSheetError(value)
    ? value
    : JSON.stringify(value)
}

/** The words of spreadsheets for true and false: in English, German, French, Spanish, Portuguese and Italian. */
const truths = ['TRUE', 'WAHR', 'VRAI', 'VERDADERO', 'VERDADEIRO', 'VERO']
const untruths = ['FALSE', 'FALSCH', 'FAUX', 'FALSO']

/** Cells that are not texts. */
const words = new Map<string, unknown>([
  ['', undefined],
  ['null', null],
  ['true', true],
  ['false', false],
  ...truths.map((word): [string, unknown] => [word, true]),
  ...untruths.map((word): [string, unknown] => [word, false])
])

/** Reads a cell as an integer, true, false, null, or a JSON list, object or string. Any other text stays as it is. */
export function readValue(cell: string): unknown {
  if (words.has(cell)) return words.get(cell)
  const json = /^["[{]/.test(cell) ? tryParseExactly(cell) : undefined
  return parseInteger(cell) ?? json ?? cell
}

/** Parses JSON; undefined if the text is not JSON. */
export function tryParseExactly(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}
