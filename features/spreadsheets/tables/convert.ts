import { integer, parseInteger } from '../../../runtime/json-values.ts'
import { isSheetError, writeValue } from './cell.ts'
import { splitList } from './list.ts'
import type { Kind } from './mapping.ts'

/** A cell as `export` writes it, or a problem. Without both, the cell has no value. */
interface Converted {
  cell?: string
  problem?: string
}

/** A number with a point or a comma, and possibly with separators of thousands. */
export const anyNumber = /^-?(?:\d+|\d{1,3}(?:[ .,'’\u00a0\u202f]\d{3})+)(?:[.,]\d+)?$/
const yes = [
  ...['true', 'yes', 'y', 'x', '1', 'ja', 'sí', 'si', 'sì', 'oui', 'sim', 'tak', 'да'],
  ...['wahr', 'vrai', 'verdadero', 'verdadeiro', 'vero', 'waar', 'prawda', 'истина']
]
const no = [
  ...['false', 'no', 'n', '0', 'nein', 'non', 'não', 'nee', 'nie', 'нет'],
  ...['falsch', 'faux', 'falso', 'onwaar', 'fałsz', 'ложь']
]
/** Reads the words for yes and no; undefined for any other text. */
function readYesOrNo(text: string): boolean | undefined {
  // Some systems write an accent as a character of its own.
  const word = text.toLowerCase().normalize('NFC')
  return yes.includes(word) || (no.includes(word) ? false : undefined)
}
export const isYesOrNo = (text: string): boolean => readYesOrNo(text) !== undefined

/**
 * Converts a cell of any table to the form of an export. Cells of an export stay as they are. An empty cell of
 * another table has no value.
 */
export function convertCell(raw: string, kind: Kind): Converted {
  const text = raw.trim()
  if (isSheetError(text)) return { problem: `has the error ${text}: correct it in the spreadsheet` }
  if (kind === 'value') return { cell: raw }
  if (text === '') return {}
  switch (kind) {
    case 'number':
      return parseInteger(text) === undefined
        ? { problem: describeNumber(text, 'a whole number', integer) }
        : { cell: text }
    case 'decimal':
      return anyNumber.test(text)
        ? { cell: writeValue(text) }
        : { problem: describeNumber(text, 'a number', anyNumber) }
    case 'boolean': {
      const value = readYesOrNo(text)
      return value === undefined ? { problem: 'must be yes or no' } : { cell: String(value) }
    }
    case 'list':
      return { cell: JSON.stringify(splitList(text)) }
    default:
      return { cell: writeValue(text) }
  }
}

/** Describes why a text is not a number. Points out letters that look like digits. */
function describeNumber(text: string, what: string, form: RegExp): string {
  const [letter] = /[oOlI]/.exec(text) ?? []
  const isTypingError = letter && form.test(text.replaceAll(/[oO]/g, '0').replaceAll(/[lI]/g, '1'))
  return `must be ${what}${isTypingError ? `, but has the letter ${letter}` : ''}`
}
