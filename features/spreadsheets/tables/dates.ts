/** Reads dates as people write them. */

/** Which number of a date comes first, where `03/04/2026` has two meanings. */
export const dateNotations = ['day/month/year', 'month/day/year'] as const
export type DateNotation = (typeof dateNotations)[number]

const yearFirst = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/
const yearLast = /^(\d{1,2})(?:([-/])|\. ?)(\d{1,2})(?:\2|\. ?)(\d{4})$/
const dayAndName = /^(\d{1,2})(?:\.|er|st|nd|rd|th)?[ -](?:de )?(\p{L}+)\.?,?[ -](?:de )?(\d{4})$/u
const nameAndDay = /^(\p{L}+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/u

/** Lists the days that a text may mean, without a look at the calendar; undefined if it is no date. */
function listDays(text: string, notations: readonly DateNotation[]): [number, number, number][] | undefined {
  const iso = yearFirst.exec(text)
  if (iso) return [[Number(iso[1]), Number(iso[3]), Number(iso[4])]]
  const [match, first, separator, second, year] = yearLast.exec(text) ?? []
  if (match !== undefined) {
    const dayFirst: [number, number, number] = [Number(year), Number(second), Number(first)]
    const monthFirst: [number, number, number] = [Number(year), Number(first), Number(second)]
    // With points, the day is first in all countries.
    if (separator === undefined) return [dayFirst]
    return notations.map(notation => (notation === 'day/month/year' ? dayFirst : monthFirst))
  }
  const named = dayAndName.exec(text)
  const [, name = '', day, namedYear] = named
    ? [named[0], named[2], named[1], named[3]]
    : (nameAndDay.exec(text) ?? [])
  const month = monthNames().get(fold(name))
  return month === undefined ? undefined : [[Number(namedYear), month, Number(day)]]
}

/**
 * Reads a date as `2026-01-31`. Returns undefined for another text, no date for a day that does not exist, and two for a
 * text that the notations read differently.
 */
export function readDates(
  text: string,
  notations: readonly DateNotation[] = dateNotations
): string[] | undefined {
  const days = listDays(text, notations)
  return days && [...new Set(days.flatMap(day => toIso(...day) ?? []))]
}

/** Whether a text has the form of a date, also of one that does not exist. */
export const hasDateForm = (text: string): boolean =>
  (listDays(text, dateNotations) ?? []).some(
    ([, month, day]) => month >= 1 && month <= 12 && day >= 1 && day <= 31
  )

/** Writes a date in ISO 8601; undefined if the calendar does not have it. */
function toIso(year: number, month: number, day: number): string | undefined {
  const text = [
    String(year).padStart(4, '0'),
    ...[month, day].map(part => String(part).padStart(2, '0'))
  ].join('-')
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? text : undefined
}

/** Removes case and accents. */
const fold = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}]/gu, '')

let names: Map<string, number> | undefined

/** The names of months, long and short, in the languages of other words in tables. */
function monthNames(): Map<string, number> {
  names ??= new Map(
    ['en', 'de', 'fr', 'es', 'pt', 'it'].flatMap(language =>
      (['long', 'short'] as const).flatMap(length => {
        const format = new Intl.DateTimeFormat(language, { month: length, day: 'numeric', timeZone: 'UTC' })
        return Array.from({ length: 12 }, (_, month): [string, number] => {
          const parts = format.formatToParts(Date.UTC(2026, month, 1))
          return [fold(parts.find(({ type }) => type === 'month')?.value ?? ''), month + 1]
        })
      })
    )
  )
  return names
}
