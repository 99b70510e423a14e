/** Converts the number of a cell to the text that its format shows, ECMA-376 part 1, 18.8.30. */

/** The formats with a number of their own that show dates and times. */
const builtIn: Record<number, string> = {
  18: 'h AM/PM',
  19: 'h AM/PM',
  20: 'h',
  21: 'h',
  22: 'd h',
  32: 'h',
  33: 'h',
  45: 'm:s',
  46: '[h]',
  47: 'm:s',
  55: 'h',
  56: 'h',
  75: 'h',
  76: 'h',
  77: 'd h',
  78: 'm:s',
  79: '[h]',
  80: 'm:s'
}
/** The formats that show only dates, as ranges from the first number to the last one. */
const dates = [
  [14, 17],
  [27, 31],
  [34, 36],
  [50, 54],
  [57, 58],
  [71, 74],
  [81, 81]
] as const

/** Returns the code of a format that the workbook does not define. */
export const findBuiltIn = (id: number): string =>
  builtIn[id] ?? (dates.some(([first, last]) => first <= id && id <= last) ? 'd' : 'General')

/** Text in a format that is shown as it is, and padding. */
const literal = /"([^"]*)"?|\\(.)|[_*]./g

/**
 * Makes the function that returns the text which a format shows beside a number, such as `€` or `kg`; undefined if
 * there is none. With `%`, it shows a hundred times the number, but not with ` %`.
 */
export function makeUnitFinder(code: string): (value: number) => string | undefined {
  const usual = findUnit(selectSection(code, 1))
  return /\[[<>=]/.test(code) ? value => findUnit(selectSection(code, value)) : () => usual
}

/** The currencies of signs that several countries have, by sign and country. */
const currencies: Record<string, string> = {
  '$-409': 'USD',
  '$-en-US': 'USD',
  '$-1009': 'CAD',
  '¥-411': 'JPY',
  '¥-804': 'CNY'
}

/** Returns the currency of a sign such as `[$$-409]`, or the sign if others do not have it, or no country is given. */
function nameCurrency(sign: string, country: string): string {
  const isShared = ['$', '¥', 'kr'].includes(sign) && country !== ''
  return isShared ? (currencies[sign + country] ?? `${sign} of an unknown country`) : sign
}

function findUnit(section: string): string | undefined {
  const withCurrency = section
    .replaceAll(/\[\$([^-\]]*)([^\]]*)\]/g, (_, sign, country) => `"${nameCurrency(sign, country)}"`)
    .replaceAll(/\[[^\]]*\]/g, '')
    .replace(/General/i, '0')
  const [, before = '', digits = '', after = ''] = /^([^#0?]*)([#0?.,]+)([^#0?]*)$/.exec(withCurrency) ?? []
  // It shows thousands, such as grams in kilograms.
  if (/,(?:\.|$)/.test(digits)) return undefined
  const text = [before, after]
    .map(part => part.replaceAll(literal, (_, quoted = '', escaped = '') => `${quoted}${escaped}`).trim())
    .filter(part => part !== '')
    .join(' ')
  const isPercentage = section.replaceAll(literal, '').includes('%')
  if (text === '') return undefined
  return text === '%' && !isPercentage ? ' %' : text
}

/**
 * Converts the number of a cell: a date to `2026-01-31`, with a time to `2026-01-31T10:30:00`, a time of day to
 * `10:30:00`, a duration to `36:30:00`, and a code such as 00123 to the text that its format shows. Other numbers keep
 * their value.
 */
export function formatNumber(value: number, code: string, is1904: boolean): string {
  if (code === 'General') return formatPlain(value)
  const section = selectSection(code, value)
  const letters = section.replaceAll(literal, '').replaceAll(/General|E[+-]/gi, '')
  if (/\[(?:h+|m+|s+)\]/i.test(letters)) return formatDuration(value)
  const shown = letters.replaceAll(/\[[^\]]*\]/g, '')
  const hasTime = /[hs]|AM\/PM|A\/P/i.test(shown)
  const hasDate = /[ydegb]/i.test(shown.replaceAll(/AM\/PM|A\/P/gi, '')) || (!hasTime && /m/i.test(shown))
  if (hasDate) return formatDate(value, is1904, hasTime) ?? formatPlain(value)
  if (hasTime) return value < 0 ? formatDuration(value) : formatDuration((toMilliseconds(value) % day) / day)
  const text = formatCode(Math.abs(value), section)
  if (text === undefined) return formatPlain(value)
  // A section for negative numbers has the sign itself.
  return value < 0 && section === selectSection(code, -value) ? `-${text}` : text
}

/** Spreadsheets keep 15 digits of a number. Without an exponent, which other programs take for text. */
function formatPlain(value: number): string {
  const rounded = Number(value.toPrecision(15))
  const text = String(rounded)
  return text.includes('e') ? rounded.toLocaleString('en', exact) : text
}
const exact = { useGrouping: false, maximumSignificantDigits: 15 }

const day = 86_400_000
const toMilliseconds = (days: number): number => Math.round(days * day)

function formatDuration(days: number): string {
  const total = toMilliseconds(Math.abs(days))
  const pad = (value: number, length = 2) => String(Math.trunc(value)).padStart(length, '0')
  const fraction = total % 1000 === 0 ? '' : `.${pad(total % 1000, 3)}`
  const sign = days < 0 && total > 0 ? '-' : ''
  return `${sign}${pad(total / 3_600_000)}:${pad((total / 60_000) % 60)}:${pad((total / 1000) % 60)}${fraction}`
}

/** A day that spreadsheets count from 1900 on, although that was no leap year. */
export const noDay = 60

/** Formats a date; undefined if it is not in the years that spreadsheets have. */
function formatDate(value: number, is1904: boolean, hasTime: boolean): string | undefined {
  const start = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, value >= 0 && value < noDay ? 31 : 30)
  const time = start + toMilliseconds(value)
  if (!(time >= Date.parse('0001-01-01') && time < Date.parse('9999-12-31') + day)) return undefined
  const text = new Date(time).toISOString().replace(/(?:\.000)?Z$/, '')
  return hasTime ? text : text.replace(/T00:00:00$/, '')
}

/** Returns the section of a format for a number: by its condition, or else by its sign. */
function selectSection(code: string, value: number): string {
  const sections = code.match(/(?:"[^"]*"?|\\.|[_*].|\[[^\]]*\]|[^;])+|(?<=^|;)(?=;|$)/g) ?? ['']
  const usual =
    sections.length === 1 ? [true] : sections.length === 2 ? [value >= 0, true] : [value > 0, value < 0, true]
  return sections.slice(0, 3).find((section, at) => meets(section, value) ?? usual[at]) ?? ''
}

/** Whether a number meets the condition of a section; undefined if it has none. */
function meets(section: string, value: number): boolean | undefined {
  const [, operator, text] = /\[(<=|>=|<>|<|>|=)\s*(-?[\d.]+)\]/.exec(section) ?? []
  if (operator === undefined) return undefined
  const limit = Number(text)
  return (
    (operator.includes('<') && value < limit) ||
    (operator.includes('>') && value > limit) ||
    (operator.includes('=') && value === limit)
  )
}

/** Characters between digits that separate thousands. */
const separators = /^[\s.'’]$/

/**
 * Formats a positive integer as a code; undefined if the format is not one. A code has several zeros, text between its
 * digits, or a text such as `SKU-` or `+49 ` before them. A space that is filled is in amounts.
 */
function formatCode(value: number, section: string): string | undefined {
  const items = Array.from(
    section
      .replaceAll(/\[[^\]]*\]/g, '')
      .matchAll(
        /"(?<quoted>[^"]*)"?|\\(?<escaped>.)|_.|(?<digit>[0#?])|(?<number>[.,%@/]|E[+-]|\*.)|(?<other>[\s\S])/gi
      ),
    ([, quoted, escaped, digit, number, other]) => ({
      digit,
      text: quoted ?? escaped ?? other ?? '',
      isOfNumber: number !== undefined
    })
  )
  const isDigit = ({ digit }: { digit: string | undefined }) => digit !== undefined
  const [first, last] = [items.findIndex(isDigit), items.findLastIndex(isDigit)]
  if (first === -1 || !Number.isSafeInteger(value) || items.some(({ isOfNumber }) => isOfNumber))
    return undefined
  const before = items.slice(0, first).map(({ text }) => text)
  const isCode =
    items.filter(({ digit }) => digit === '0').length > 1 ||
    items.slice(first, last).some(({ text }) => text !== '' && !separators.test(text)) ||
    /^\+?\d|\p{L}.*[-_/#]$/u.test(before.join(''))
  if (!isCode) return undefined
  const digits = [...String(value)]
  const shown = items.toReversed().map((item, at) => {
    if (!isDigit(item)) return item.text
    const rest = items.length - 1 - at === first ? digits.splice(0).join('') : digits.pop()
    return rest || (item.digit === '0' ? '0' : '')
  })
  return shown.toReversed().join('').trim()
}
