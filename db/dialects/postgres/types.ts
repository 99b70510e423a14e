/** Object identifiers of PostgreSQL's types, from the catalog pg_type. */
const bool = 16
const bytea = 17
const int8 = 20
const int2 = 21
const int4 = 23
const float8 = 701
const timestamptz = 1184

const parsers = new Map<number, (text: string) => unknown>([
  [bool, text => text === 't'],
  // The server writes \x and hexadecimal digits.
  [bytea, text => Buffer.from(text.slice(2), 'hex')],
  [int2, Number],
  [int4, Number],
  [float8, Number],
  [int8, safeInteger],
  [timestamptz, utcTimestamp]
])

/**
 * Type parsers for `new pg.Pool({ types: postgresTypes })`. A timestamp becomes the string
 * `YYYY-MM-DDTHH:MM:SS.ffffffZ`, because a Date would lose three digits. int8 and float8 become numbers, bytea becomes
 * a Buffer, JSON stays text. They throw RangeError if a number or a year is out of range.
 */
export const postgresTypes = {
  getTypeParser: (type: number, format: 'text' | 'binary' = 'text'): ((value: string) => unknown) => {
    if (format === 'binary') throw new TypeError('values come as text')
    return parsers.get(type) ?? String
  }
}

function safeInteger(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is beyond the safe integers`)
  return number
}

const isoTimestamp =
  /^(\d{4,})(-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/
/** The start of an ISO timestamp with a year that can be stored. */
const storedYear = /^(?!0000)\d{4}-/

/**
 * Converts a timestamp to UTC. The session may have any time zone. There, the year may differ, and old times have an
 * offset with seconds. DateStyle is ISO by default.
 */
function utcTimestamp(text: string): string {
  const [, year, day, time, fraction = '', sign, hours, minutes = '00', seconds = '00', bc] =
    isoTimestamp.exec(text) ?? []
  if (year === undefined) throw outOfRange(text)
  const digits = fraction.padEnd(6, '0')
  const isUtc = hours === '00' && minutes === '00' && seconds === '00'
  if (isUtc && !bc && year.length === 4) return `${year}${day}T${time}.${digits}Z`
  const offset = Number(`${sign}1`) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds))
  const astronomical = String(bc ? 1 - Number(year) : year).padStart(6, '0')
  // Throws RangeError if the year is out of the range of Date.
  const utc = new Date(Date.parse(`+${astronomical}${day}T${time}Z`) - offset * 1000).toISOString()
  if (!storedYear.test(utc)) throw outOfRange(text)
  return utc.replace(/\.\d+Z$/, `.${digits}Z`)
}

const outOfRange = (text: string) =>
  new RangeError(`${text} is not an ISO timestamp of the years 0001 to 9999`)
