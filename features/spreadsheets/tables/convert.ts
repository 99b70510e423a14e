import { integer, parseInteger } from '../../../runtime/json-values.ts'
import { isSheetError, writeValue } from './cell.ts'
import { type DateNotation, readDates } from './dates.ts'
import { splitList } from './list.ts'
import type { MappedColumn } from './mapping.ts'
import { findCurrency, type NumberNotation, readNumbers, splitMoney } from './numbers.ts'

/** A cell as `export` writes it, or a problem. Without both, the cell has no value. */
interface Converted {
  cell?: string
  problem?: string
}

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

/** Whether a text has the form of a link. */
export const isLink = (text: string): boolean => /^(?:[a-z][a-z0-9+.-]*:|\{ipfs_url\}\/)\S*$/i.test(text)

/** What decides how the cells of a column are read. */
type CellForm = Pick<MappedColumn, 'as' | 'name' | 'notation'>

/**
 * Converts a cell of any table to the form of an export. Cells of an export stay as they are. An empty cell of
 * another table has no value. `isNumber` tells that a workbook has the cell as a number.
 */
export function convertCell(raw: string, form: CellForm, isNumber = false): Converted {
  const text = raw.trim()
  if (isSheetError(text)) return { problem: `has the error ${text}: correct it in the spreadsheet` }
  if (form.as === 'value') return { cell: raw }
  if (text === '') return {}
  switch (form.as) {
    case 'number':
      return parseInteger(text) === undefined
        ? { problem: describeNumber(text, 'a whole number', text => integer.test(text)) }
        : { cell: text }
    case 'decimal':
      return convertNumber(text, form, isNumber)
    case 'money':
      return convertMoney(text, form, isNumber)
    case 'date':
      return choose(
        readDates(text, form.notation && [form.notation as DateNotation]),
        'must be a date, such as 2026-01-31 or 31.01.2026',
        'is a day that does not exist'
      )
    case 'boolean': {
      const value = readYesOrNo(text)
      return value === undefined ? { problem: 'must be yes or no' } : { cell: String(value) }
    }
    case 'list':
      return { cell: JSON.stringify(splitList(text)) }
    case 'link':
    case 'picture':
      return isLink(text) ? { cell: writeValue(text) } : { problem: 'must be a link, such as https://…' }
    default:
      return { cell: writeValue(text) }
  }
}

/** Returns the only meaning of a cell, or the problem. */
function choose(meanings: string[] | undefined, ifNone: string, ifWrong = ifNone): Converted {
  const [meaning, other] = meanings ?? []
  if (other !== undefined) return { problem: 'has two meanings: choose the notation of its column' }
  return meaning === undefined ? { problem: meanings ? ifWrong : ifNone } : { cell: writeValue(meaning) }
}

function convertNumber(text: string, { notation }: CellForm, isNumber: boolean): Converted {
  const given = isNumber ? '1,234.5' : (notation as NumberNotation | undefined)
  const numbers = readNumbers(text, given && [given])
  const what = given && readNumbers(text) ? `a number in the notation ${given}` : 'a number'
  return choose(
    numbers,
    describeNumber(text, what, text => readNumbers(text) !== undefined)
  )
}

/** Reads an amount in the currency that the name of the trait has, which its value then lacks. */
function convertMoney(text: string, form: CellForm, isNumber: boolean): Converted {
  const { number, currency } = splitMoney(text) ?? { number: text }
  const expected = findCurrency(form.name)
  if (!currency || currency === expected) return convertNumber(number, form, isNumber)
  return {
    problem: expected
      ? `must be in ${expected}, as the name of the trait says, but is in ${currency}`
      : `is in ${currency}: the trait needs a name with the currency, such as ${form.name} (${currency})`
  }
}

/** Describes why a text is not a number. Points out letters that look like digits. */
function describeNumber(text: string, what: string, fits: (text: string) => boolean): string {
  const [letter] = /[oOlI]/.exec(text) ?? []
  const isTypingError = letter && fits(text.replaceAll(/[oO]/g, '0').replaceAll(/[lI]/g, '1'))
  return `must be ${what}${isTypingError ? `, but has the letter ${letter}` : ''}`
}
