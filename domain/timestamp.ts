/**
 * Milliseconds from the epoch to the zero of `performance.now()`. `Date` has only milliseconds. `performance` has
 * microseconds but ignores changes of the system clock, so the offset changes if they differ by more than 2 ms.
 */
let offset = performance.timeOrigin
let last = 0

function epochMicroseconds(): number {
  if (Math.abs(offset + performance.now() - Date.now()) > 2) offset = Date.now() - performance.now()
  const measured = Math.floor((offset + performance.now()) * 1000)
  // Timestamps of a process are unique, so that rows sort in the order of the writes. Time goes back only if somebody
  // sets the clock back by more than a second.
  last = measured > last || last - measured > 1_000_000 ? measured : last + 1
  return last
}

/** Seconds by which the clocks of two instances may differ. */
export const clockSkewSeconds = 60

/** The current time as stored, `YYYY-MM-DDTHH:MM:SS.ffffffZ`. Strictly increasing unless the clock is set back. */
export function timestamp(): string {
  return formatTimestamp(epochMicroseconds())
}

/** The time `seconds` ago, in the stored format. */
export const secondsAgo = (seconds: number): string => formatTimestamp((Date.now() - seconds * 1000) * 1000)

/** The time in `seconds`, in the stored format. */
export const secondsFromNow = (seconds: number): string => secondsAgo(-seconds)

/** The seconds since a stored time. */
export const secondsSince = (time: string): number => (Date.now() - Date.parse(time)) / 1000

/** Formats microseconds since the epoch in the stored format. */
export function formatTimestamp(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0')
  return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`)
}

/** The latest time of the stored format. */
const latestTime = '9999-12-31T23:59:59.999999Z'

/** The current time, or the microsecond after `time` if that is later. Nothing follows the latest time. */
export function timestampAfter(time: string): string {
  const now = timestamp()
  if (now > time) return now
  if (time === latestTime) return time
  // Calculates in two parts: the microseconds of a far future exceed the safe integers.
  const next = Number(time.slice(23, 26)) + 1
  const milliseconds = Date.parse(`${time.slice(0, 23)}Z`) + (next === 1000 ? 1 : 0)
  const rest = String(next % 1000).padStart(3, '0')
  return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`)
}

// PostgreSQL has no year 0.
const utcTime = /^((?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/

/** Converts a UTC time to the stored format by completing its fraction; undefined if there is no such time. */
export function toStoredTime(text: string): string | undefined {
  const [, seconds, fraction = ''] = utcTime.exec(text) ?? []
  // Date reads 30 February as a day in March.
  const exists = seconds !== undefined && new Date(`${seconds}Z`).toJSON()?.startsWith(seconds)
  return exists ? `${seconds}.${fraction.padEnd(6, '0')}Z` : undefined
}

/** Whether a text is an existing time in the stored format, in the years 0001 to 9999. */
export const isTimestamp = (text: string): boolean => toStoredTime(text) === text

/** Whether a text is a date of the calendar in ISO 8601. `Date` reads 30 February as a day in March. */
export const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && (new Date(text).toJSON()?.startsWith(text) ?? false)
