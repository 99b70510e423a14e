/** Reads numbers and amounts of money as people write them. */

/** How numbers are written: the last sign is the decimal sign. Spaces and apostrophes separate thousands in both. */
export const numberNotations = ['1.234,5', '1,234.5'] as const
export type NumberNotation = (typeof numberNotations)[number]

const makeForm = (decimal: string, separator: string): RegExp =>
  new RegExp(
    `^([-−]?)(\\d+|[1-9]\\d{0,2}([${separator} '’\u00a0\u2009\u202f])\\d{3}(?:\\3\\d{3})*)?(?:[${decimal}](\\d+))?$`
  )
const forms: Record<NumberNotation, RegExp> = { '1.234,5': makeForm(',', '.'), '1,234.5': makeForm('.', ',') }

/** Longer texts are not read, because some patterns take time by the square of the length. */
const maxLength = 400

/**
 * Reads a number with a point, without separators and with the decimals of its text. Returns undefined for another
 * text, and two numbers for one that the notations read differently, such as `1.234`.
 */
export function readNumbers(
  text: string,
  notations: readonly NumberNotation[] = numberNotations
): string[] | undefined {
  if (text.length > maxLength) return undefined
  const found = new Set(notations.flatMap(notation => readIn(text, forms[notation]) ?? []))
  return found.size > 0 ? [...found] : undefined
}

function readIn(text: string, form: RegExp): string | undefined {
  const [match, minus, whole = '', , decimals] = form.exec(text) ?? []
  if (match === undefined || (whole === '' && decimals === undefined)) return undefined
  const digits = whole.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '') || '0'
  return `${minus && '-'}${digits}${decimals === undefined ? '' : `.${decimals}`}`
}

/**
 * Whether two numbers as {@link readNumbers} returns them are equal. The second may have a comma instead of the point.
 */
export const isSameNumber = (one: string, other: string): boolean => shorten(one) === shorten(other)

/** Removes the zeros at the end of decimals, and the sign of zero. */
const shorten = (number: string): string =>
  number
    .replace(',', '.')
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '')
    .replace(/^-0$/, '0')

const token = String.raw`(?:[A-Z]{0,3}\p{Sc}(?:\s?[A-Z]{2})?|[A-Z]{3}|S?Fr\.?|kr\.?|zł|Kč)`
const before = new RegExp(`^([-−]?)\\s*(${token})\\s*([-−]?)\\s*(?=[\\d.,])`, 'u')
const after = new RegExp(`\\s*(${token})$`, 'u')
const inName = new RegExp(`(?<!\\p{L})${token}(?!\\p{L})`, 'gu')

/** The codes of currencies that have a sign of their own. Others, such as $, belong to several countries. */
const codes: Record<string, string> = {
  ...{ '€': 'EUR', '£': 'GBP', '£GB': 'GBP', '₹': 'INR', US$: 'USD', $US: 'USD', zł: 'PLN', Kč: 'CZK' },
  ...{ Fr: 'CHF', 'Fr.': 'CHF', SFr: 'CHF', 'SFr.': 'CHF', 'kr.': 'kr' }
}
const known = new Set(Intl.supportedValuesOf('currency'))

/** Returns the code of a currency, or its sign; undefined if three letters are no currency. */
function toCurrency(found: string): string | undefined {
  const sign = found.replaceAll(/\s/g, '')
  return codes[sign] ?? (/^[A-Z]{3}$/.test(sign) && !known.has(sign) ? undefined : sign)
}

/** A number, and the currency or unit after or before it. */
export interface Amount {
  number: string
  unit: string
}

/** In some countries, `5,-` has no cents. */
const withoutCents = /[.,][-–—]$/

/** Splits an amount of money into its number and its currency, which `5,-` lacks; undefined for another text. */
export function splitMoney(text: string): Amount | undefined {
  if (text.length > maxLength) return undefined
  const [start, minus, first, innerMinus] = before.exec(text) ?? []
  const [end, last] = first === undefined ? (after.exec(text) ?? []) : []
  const unit = toCurrency(first ?? last ?? '')
  if (!unit) return withoutCents.test(text) ? { number: text.replace(withoutCents, ''), unit: '' } : undefined
  const number = first === undefined ? text.slice(0, -(end ?? '').length) : text.slice(start?.length)
  return { number: `${minus || innerMinus || ''}${number.replace(withoutCents, '')}`, unit }
}

/** Returns the last currency in a name, such as `Price (EUR)`. */
export const findCurrency = (name: string): string | undefined =>
  (name.match(inName) ?? []).flatMap(found => toCurrency(found) ?? []).at(-1)

const signs = new Map<string, string | undefined>()

/** Returns the sign of a currency, such as $ for USD; undefined for a unit. Several currencies may have one sign. */
function findSign(code: string): string | undefined {
  if (!known.has(code) || signs.has(code)) return signs.get(code)
  const format = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: code,
    currencyDisplay: 'narrowSymbol'
  })
  signs.set(code, format.formatToParts(0).find(({ type }) => type === 'currency')?.value)
  return signs.get(code)
}

/** Whether an amount has the currency or unit of a name. A sign of several currencies has the one of the name. */
export const isUnitOf = (unit: string, expected: string): boolean =>
  unit === expected || unit === findSign(expected)

const units =
  'mg g kg t oz lb mm cm dm m km in ft ml cl dl l cm² m² cm³ m³ °C % V W Wh kWh mAh lm min h'.split(' ')
const usual: Record<string, string> = Object.fromEntries([
  ...units.map(unit => [unit, unit]),
  ['lbs', 'lb'],
  ['L', 'l']
])
const byLetters = new Map(Object.entries(usual).map(([found, unit]) => [found.toLowerCase(), unit]))
const unit = `(${[...byLetters.keys()].join('|')})`
const unitAtEnd = new RegExp(`(\\s*)${unit}$`, 'i')
const unitInName = new RegExp(`([\\s([])${unit}[)\\]]?$`, 'i')

/** German marks, Hungarian forints, and tonnes by the letters of the SI. */
const otherUnits = ['DM', 'Ft', 'Mg']

/**
 * Returns a unit as names have it, such as `kg` for `KG`; undefined if it is none. In another case than the usual one,
 * it must stand apart and have several letters: `12IN` is a code, and `75 G` may be a size.
 */
function toUnit(found: string, isApart: boolean): string | undefined {
  if (Object.hasOwn(usual, found)) return usual[found]
  const mayBeUnit = isApart && found.length > 1 && !otherUnits.includes(found)
  return mayBeUnit ? byLetters.get(found.toLowerCase()) : undefined
}

/** Splits a measure, such as `0,5 kg`, into its number and its unit; undefined if there is no unit. */
export function splitMeasure(text: string): Amount | undefined {
  if (text.length > maxLength) return undefined
  const [end = '', space = '', found = ''] = unitAtEnd.exec(text) ?? []
  const unit = toUnit(found, space !== '')
  return unit === undefined ? undefined : { number: text.slice(0, -end.length), unit }
}

/** Returns the unit at the end of a name, such as `Weight (KG)` or `Weight in kg`. `Stock Min` has none. */
export function findUnit(name: string): string | undefined {
  const [, sign = '', found = ''] = unitInName.exec(name) ?? []
  return toUnit(found, sign.trim() !== '')
}

/** The kinds of numbers that may have a unit, which the name of the trait then has instead. */
export const amounts = {
  decimal: { what: 'unit', split: splitMeasure, find: findUnit },
  money: { what: 'currency', split: splitMoney, find: findCurrency }
}
export type AmountKind = keyof typeof amounts

/** Returns the currency of a name for amounts of money, or else its unit. */
export const findExpected = (kind: string, name: string): string | undefined =>
  amounts[kind === 'money' ? kind : 'decimal'].find(name)

/** Returns the number of an amount without its unit. */
export const withoutUnit = (text: string, kind: AmountKind): string =>
  amounts[kind].split(text)?.number ?? text
