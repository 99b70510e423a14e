/** Object identifiers of PostgreSQL's types, from the catalogue pg_type. */
const bool = 16
const int8 = 20
const int2 = 21
const int4 = 23
const timestamptz = 1184

const parsers = new Map<number, (text: string) => unknown>([
  [bool, text => text === 't'],
  [int2, Number],
  [int4, Number],
  [int8, safeInteger],
  [timestamptz, utcTimestamp]
])

/**
 * Type parsers for `new pg.Pool({ types: postgresTypes })`. A timestamp becomes the string
 * `YYYY-MM-DDTHH:MM:SS.ffffffZ`, because a Date would lose three digits; an int8 becomes a number; JSON stays text.
 * Throws RangeError if a number or a year is out of range.
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

const isoTimestamp = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?([+-]\d\d)(?::(\d\d))?$/

/** Converts a timestamp to UTC. The session may have any time zone; DateStyle is ISO by default. */
function utcTimestamp(text: string): string {
  const [, date, time, fraction = '', hours, minutes = '00'] = isoTimestamp.exec(text) ?? []
  if (date === undefined) throw new RangeError(`${text} is not an ISO timestamp of the years 0000 to 9999`)
  const digits = fraction.padEnd(6, '0')
  if (hours === '+00' && minutes === '00') return `${date}T${time}.${digits}Z`
  const second = new Date(`${date}T${time}${hours}:${minutes}`)
  return second.toISOString().replace(/\.\d+Z$/, `.${digits}Z`)
}
