/** Guesses from the texts of a column what they are, and how they are written. */
import { integer } from '../../../runtime/json-values.ts'
import { type DateNotation, hasDateForm, readDates } from './dates.ts'
import { isLink, type Notation, notations, readYesOrNo } from './normalize.ts'
import { type AmountKind, type NumberNotation, readNumbers, withoutUnit } from './numbers.ts'

export type Fits = (text: string) => boolean

export const isWhole: Fits = text => integer.test(text)
export const isYesOrNo: Fits = text => readYesOrNo(text) !== undefined
const isNumber: Fits = text => readNumbers(text) !== undefined
const isMeasure: Fits = text => isNumber(withoutUnit(text, 'decimal'))
const isMoney: Fits = text => isNumber(withoutUnit(text, 'money'))
const isPicture: Fits = text => isLink(text) && /\.(?:png|jpe?g|gif|webp|avif)(?:[?#]|$)/i.test(text)

/** The kinds of texts, the narrowest first. */
const forms = {
  number: isWhole,
  decimal: isMeasure,
  money: isMoney,
  date: hasDateForm,
  boolean: isYesOrNo,
  picture: isPicture,
  link: text => /^(?:https?|ipfs):\/\/\S+$/i.test(text)
} satisfies Record<string, Fits>

type FormKind = keyof typeof forms

/** Whether a text has the form of a kind, also of a day that does not exist. */
export const hasForm = (kind: FormKind, text: string): boolean => forms[kind](text)

/** Guesses the kind of texts. Numbers with zeros in front are codes, such as postcodes. */
export const guessKind = (texts: string[]): FormKind | 'text' =>
  texts.some(text => /^0\d/.test(text) && isMeasure(text)) ? 'text' : guessNarrowKind(texts)

function guessNarrowKind(texts: string[]): FormKind | 'text' {
  const kind = (Object.keys(forms) as FormKind[]).find(kind => areMostly(texts, forms[kind])) ?? 'text'
  if (kind === 'boolean') return isOnePair(texts) ? kind : 'text'
  if (!['number', 'decimal', 'money'].includes(kind)) return kind
  // A few numbers that are not whole, or have a currency, are no typing errors. A unit is: `1l` for 11.
  const fits = kind === 'number' ? isNumber : isMeasure
  const numbers = texts.filter(text => fits(text) || isMoney(text))
  return numbers.every(isWhole) ? 'number' : numbers.every(isMeasure) ? 'decimal' : 'money'
}

/** Whether there is at most one word for yes, and one for no. As `x` and `y` may be, others are different values. */
function isOnePair(texts: string[]): boolean {
  const words = [...new Set(texts.map(text => text.toLowerCase()))]
  return [true, false].every(value => words.filter(word => readYesOrNo(word) === value).length <= 1)
}

/** Whether at least 90 % of the texts have the form. The others may be typing errors. */
export const areMostly = (texts: string[], fits: Fits): boolean =>
  texts.filter(fits).length >= 0.9 * texts.length

export const listNotations = (kind: string): readonly Notation[] =>
  notations[kind as keyof typeof notations] ?? []

/**
 * Guesses the notation from texts that have a meaning in one notation only; undefined if there are none, or if they
 * contradict each other.
 */
export function guessNotation(kind: string, texts: string[]): Notation | undefined {
  const found = new Set(
    texts.flatMap(text => {
      const fitting = listNotations(kind).filter(notation => readIn(kind, text, notation) !== undefined)
      return fitting.length === 1 ? fitting : []
    })
  )
  return found.size === 1 ? [...found][0] : undefined
}

/** Whether the notations read one of the texts differently. */
export const dependsOnNotation = (kind: string, texts: string[]): boolean =>
  texts.some(text => new Set(listNotations(kind).map(notation => readIn(kind, text, notation))).size > 1)

const readIn = (kind: string, text: string, notation: Notation): string | undefined =>
  kind === 'date'
    ? readDates(text, [notation as DateNotation])?.[0]
    : readNumbers(withoutUnit(text, kind as AmountKind), [notation as NumberNotation])?.[0]
