/** Normalizes texts of the kinds that are stored in one form, however people write them. */
import { type DateNotation, dateNotations, readDates } from './dates.ts'
import {
  type AmountKind,
  amounts,
  isUnitOf,
  type NumberNotation,
  numberNotations,
  readNumbers
} from './numbers.ts'

/** The notations of the kinds whose texts may have two meanings. */
export const notations = {
  decimal: numberNotations,
  money: numberNotations,
  date: dateNotations
} as const satisfies Record<string, readonly string[]>
export type Notation = (typeof notations)[keyof typeof notations][number]

/** What decides how the texts of a column are read. */
export interface Form {
  as: keyof typeof notations | 'link'
  /** The name of the trait, which may have a currency or a unit. */
  name: string
  /** The only notation that is read. */
  notation?: Notation | undefined
  /** The notation in which a text with two meanings is read. Without both, such a text is a problem. */
  preferred?: Notation | undefined
  /** Whether a number without a unit is a problem. */
  needsUnit?: boolean | undefined
}

/** A text as it is stored, or why it cannot be stored. */
export type Normalized = { text: string } | { problem: string }

/** Returns `1234.50` for `1.234,50`, and ISO 8601 for dates. Links stay as they are. */
export function normalizeText(given: string, form: Form): Normalized {
  const { as, notation } = form
  const trimmed = given.trim()
  if (as === 'link')
    return isLink(trimmed) ? { text: trimmed } : { problem: 'must be a link, such as https://…' }
  // Other programs add marks of the writing direction, and apostrophes before numbers that are texts.
  const text = trimmed.replaceAll(/\p{Cf}/gu, '').replace(/^'/, '')
  if (as === 'money' || as === 'decimal') return readAmount(text, as, form)
  const dates = readDates(text, notation && [notation as DateNotation])
  if (dates?.length === 0) return { problem: 'is a day that does not exist' }
  return choose(dates, text, form) ?? { problem: 'must be a date, such as 2026-01-31 or 31.01.2026' }
}

/** Returns the only meaning of a text, or the preferred one; undefined if it has none. */
function choose([meaning, other]: string[] = [], text: string, form: Form): Normalized | undefined {
  if (meaning === undefined || other === undefined)
    return meaning === undefined ? undefined : { text: meaning }
  const { preferred: notation, ...rest } = form
  return notation
    ? normalizeText(text, { ...rest, notation })
    : { problem: 'has two meanings: choose the notation of its column' }
}

function readDecimal(text: string, form: Form): Normalized {
  // Codes have zeros in front, and would lose them.
  if (/^[-−]?0\d/.test(text) && readNumbers(text))
    return { problem: 'must be a number without zeros in front' }
  const notation = form.notation as NumberNotation | undefined
  const what = notation && readNumbers(text) ? `a number in the notation ${notation}` : 'a number'
  return (
    choose(readNumbers(text, notation && [notation]), text, form) ?? {
      problem: describeNumber(text, what, text => readNumbers(text) !== undefined)
    }
  )
}

/** Reads a number in the currency or unit that the name of the trait has, which its value then lacks. */
function readAmount(text: string, kind: AmountKind, { needsUnit, ...form }: Form): Normalized {
  const { what, split, find } = amounts[kind]
  const { number, unit } = split(text) ?? { number: text }
  const expected = find(form.name)
  if (!unit && needsUnit && readNumbers(number)) return { problem: describeMissing(number, expected) }
  if (!unit || (expected && isUnitOf(unit, expected))) return readDecimal(number, form)
  return {
    problem: expected
      ? describeOther(unit, expected)
      : `is in ${unit}: the trait needs a name with the ${what}, such as ${form.name} (${unit})`
  }
}

/** Describes that a number has no unit. */
export const describeMissing = (number: string, expected: string | undefined): string =>
  `has no unit: write ${number} ${expected}, if it is in ${expected}`

const describeOther = (unit: string, expected: string): string =>
  `must be in ${expected}, as the name of the trait says, but is in ${unit}`

/** Describes why what a workbook shows beside a number is not the currency or unit that the name of the trait has. */
export function describeUnit(shown: string, name: string): string | undefined {
  const units = [
    shown.trim(),
    ...Object.values(amounts).flatMap(({ split }) => split(`1 ${shown}`)?.unit || [])
  ]
  const expected = Object.values(amounts).flatMap(({ find }) => find(name) ?? [])
  // Marks such as `,-` are no other unit, but words may be one.
  if (expected[0] === undefined || !/[\p{L}\p{Sc}%°]/u.test(shown)) return undefined
  const isExpected = expected.some(expected => units.some(unit => isUnitOf(unit, expected)))
  return isExpected ? undefined : describeOther(units.at(-1) as string, expected[0])
}

/** Describes why a text is not a number. Points out letters that look like digits. */
export function describeNumber(text: string, what: string, fits: (text: string) => boolean): string {
  const [letter] = /[oOlI]/.exec(text) ?? []
  const isTypingError = letter && fits(text.replaceAll(/[oO]/g, '0').replaceAll(/[lI]/g, '1'))
  return `must be ${what}${isTypingError ? `, but has the letter ${letter}` : ''}`
}

/** Whether a text has the form of a link. */
export const isLink = (text: string): boolean => /^(?:[a-z][a-z0-9+.-]*:|\{ipfs_url\}\/)\S*$/i.test(text)

const yes = [
  ...['true', 'yes', 'y', 'x', '1', 'ja', 'sí', 'si', 'sì', 'oui', 'sim', 'tak', 'да'],
  ...['wahr', 'vrai', 'verdadero', 'verdadeiro', 'vero', 'waar', 'prawda', 'истина']
]
const no = [
  ...['false', 'no', 'n', '0', 'nein', 'non', 'não', 'nee', 'nie', 'нет'],
  ...['falsch', 'faux', 'falso', 'onwaar', 'fałsz', 'ложь']
]

/** Reads the words for yes and no; undefined for any other text. */
export function readYesOrNo(text: string): boolean | undefined {
  // Some systems write an accent as a character of its own.
  const word = text.toLowerCase().normalize('NFC')
  return yes.includes(word) || (no.includes(word) ? false : undefined)
}
