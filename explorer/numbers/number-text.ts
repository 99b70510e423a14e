/** How a language writes numbers. */
interface Notation {
  /** The sign between the whole part and the decimals. */
  decimal: string
  /** The separator of thousands. */
  group: string
}

type NumberReading = { number: number } | { problem: string }

/** Returns the notation of a language. The default is that of the browser, in which the page shows numbers. */
export function findNotation(language?: string): Notation {
  const parts = new Intl.NumberFormat(language, { numberingSystem: 'latn' }).formatToParts(1234567.8)
  const find = (type: string) => parts.find(part => part.type === type)?.value
  return { decimal: find('decimal') ?? '.', group: plainSpaces(find('group') ?? '') }
}

/** Longer texts are not read. */
const maxLength = 400

/**
 * Reads a typed number exactly. The notation decides only where a text has two meanings: `1.005` is 1005 in German and
 * 1.005 in English. A text that no JavaScript number equals has a problem, because another number would be stored.
 */
export function readNumber(text: string, { decimal, group }: Notation): NumberReading {
  if (text.length > maxLength) return { problem: 'must be a number' }
  const other = decimal === ',' ? '.' : ','
  const [, minus, body = '', exponent = '0'] =
    simplify(text).match(/^(?:(-)|\+)? ?(.*?)(?:e([-+]?\d+))?$/i) ?? []
  const [whole, decimals = ''] =
    split(body, decimal, [group, ' ', "'"]) ??
    split(body, other, [decimal, ' ', "'"]) ??
    split(body, decimal, [other]) ??
    []
  if (whole === undefined) return { problem: 'must be a number' }
  const plain = `${whole}.${decimals}e${exponent}`
  const number = Number(plain)
  if (!Number.isFinite(number)) return { problem: 'is too large' }
  if (toDigits(plain) !== toDigits(String(number)))
    return { problem: 'has more digits than a number can keep' }
  return { number: minus && number !== 0 ? -number : number }
}

/** Writes a number for a field, without separators of thousands. */
export const writeNumber = (number: number, { decimal }: Notation): string =>
  String(number).replace('.', decimal)

/** Replaces all kinds of spaces, minus signs, apostrophes and digits of full width by those of ASCII. */
const simplify = (text: string): string =>
  plainSpaces(text.replaceAll(/\p{Cf}/gu, ''))
    .trim()
    .replaceAll(/[\uff0b-\uff19]/g, wide => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replaceAll(/[\u2010-\u2013\u2212]/g, '-')
    .replaceAll('\u2019', "'")

const plainSpaces = (text: string): string => text.replaceAll(/\s/g, ' ')

/** Splits a number into its whole part without separators and its decimals; undefined if it has another notation. */
function split(
  body: string,
  decimal: string,
  groups: string[]
): [whole: string, decimals: string] | undefined {
  const [whole = '', decimals = '', ...more] = body.split(decimal)
  const isRead = more.length === 0 && /^\d*$/.test(decimals) && /\d/.test(body)
  if (isRead && /^\d*$/.test(whole)) return [whole, decimals]
  const group = groups.find(group => whole.includes(group)) ?? ''
  // Indian languages group by two, but for the last three digits.
  const isGrouped = /^[1-9]\d{0,2}( \d{2,3})* \d{3}$/.test(whole.replaceAll(group, ' '))
  return isRead && isGrouped ? [whole.replaceAll(group, ''), decimals] : undefined
}

/** Returns the digits of a number without zeros at its ends, and its power of ten, so that equal numbers are equal. */
function toDigits(text: string): string {
  const [, whole = '', decimals = '', exponent = '0'] = text.match(/^-?(\d*)\.?(\d*)(?:e([-+]?\d+))?$/) ?? []
  const digits = (whole + decimals).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${significant}e${Number(exponent) - decimals.length + digits.length - significant.length}`
}
