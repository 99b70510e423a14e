/** The traits that have only amounts, dates or links: their texts are stored as an import stores them. */

import type { Kind } from '../../../explorer/edit/trait-kinds.ts'
import { findNotation } from '../../../explorer/numbers/number-text.ts'
import type { ColumnForm, ColumnForms, Reading } from '../../../explorer/table/forms.ts'
import { parseInteger } from '../../../runtime/json-values.ts'
import { areMostly, guessKind, guessNotation, hasForm } from '../notations/guess.ts'
import { type Notation, normalizeText, readYesOrNo } from '../notations/normalize.ts'
import { findCurrency, findUnit } from '../notations/numbers.ts'

/** Guesses the form of a trait from its most frequent values; undefined if it takes any text. */
export function guessForm(name: string, texts: string[], isPrice: boolean): ColumnForm | undefined {
  const as = texts.length > 0 ? findForm(guessKind(texts), name, isPrice) : undefined
  // Measures, such as 100 g, are no amounts of money.
  if (as === undefined || !areMostly(texts, text => hasForm(as, text))) return undefined
  return { as, name, others: texts.filter(text => !hasForm(as, text)) }
}

function findForm(
  kind: ReturnType<typeof guessKind>,
  name: string,
  isPrice: boolean
): ColumnForm['as'] | undefined {
  if (kind === 'picture') return 'link'
  const hasCurrency = findCurrency(name) !== undefined
  // Digits may be a code or a version, and an amount keeps its currency, unless the name says what they are.
  if (kind === 'money' || kind === 'number' || kind === 'decimal') {
    if (hasCurrency || (isPrice && kind !== 'money')) return 'money'
    return findUnit(name) === undefined ? undefined : 'decimal'
  }
  return kind === 'date' || kind === 'link' ? kind : undefined
}

/** Returns how a language writes numbers and dates. */
export function findNotations(language?: string) {
  const parts = new Intl.DateTimeFormat(language).formatToParts()
  const [first] = parts.filter(({ type }) => type === 'day' || type === 'month')
  const date: Notation = first?.type === 'month' ? 'month/day/year' : 'day/month/year'
  return { ...findNotation(language), date }
}

const ofBrowser = findNotations()

/**
 * Returns the notation of a text. As in number fields, a point or comma separates thousands only where the language
 * says so.
 */
function findPreferred(text: string, { as }: ColumnForm, { group, date }: typeof ofBrowser): Notation {
  if (as === 'date') return date
  const [, sign] = text.match(/\d([.,])\d/) ?? []
  return (sign === '.') === (sign === group) ? '1.234,5' : '1,234.5'
}

/**
 * Reads a text for a cell. What has two meanings, such as `1.234`, is read by the notation of the other texts if these
 * show it, or else by that of the browser's language.
 */
export function readForm(
  text: string,
  form: ColumnForm,
  kind: Kind,
  shown?: Notation,
  language = ofBrowser
): Reading {
  const preferred = shown ?? findPreferred(text, form, language)
  const normalized = normalizeText(text, { ...form, preferred })
  if ('problem' in normalized) return form.others.includes(text) ? { value: text } : normalized
  return { value: (kind === 'number' ? parseInteger(normalized.text) : undefined) ?? normalized.text }
}

/** Writes a stored text as {@link readForm} reads it: decimals as the browser's language has them. */
export function writeForm(text: string, form: ColumnForm, { decimal } = ofBrowser): string {
  if (form.as === 'date' || form.as === 'link') return text
  // Older texts may have another notation, which must not decide how the others are read.
  const normalized = /^-?\d+(?:\.\d+)?$/.test(text) ? { text } : normalizeText(text, form)
  return 'problem' in normalized ? text : normalized.text.replace('.', decimal)
}

/** Returns the notation that the texts of a column show. Those that are refused show none. */
export function findShown(form: ColumnForm | undefined, cells: { text: string }[]): Notation | undefined {
  if (!form) return undefined
  const accepted = cells.flatMap(({ text }) => ('text' in normalizeText(text, form) ? text.trim() : []))
  return guessNotation(form.as, accepted)
}

/** What the table of the explorer does with the texts of such traits. */
export const columnForms: ColumnForms = { guessForm, readForm, writeForm, findShown, readYesOrNo }
