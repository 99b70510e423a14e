/** Reads dates as people write them. */
import { isDate } from '../../../domain/timestamp.ts'

/** Which number of a date comes first, where `03/04/2026` has two meanings. */
export const dateNotations = ['day/month/year', 'month/day/year'] as const
export type DateNotation = (typeof dateNotations)[number]

type Day = [year: string, month: string, day: string]

const yearFirst = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/
const yearLast = /^(\d{1,2})([-/])(\d{1,2})\2(\d{4})$/
// With points, the day is first in all countries.
const dayFirst = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/

/** Lists the days that a text may mean, without a look at the calendar; none if it is no date. */
function listDays(text: string, notations: readonly DateNotation[]): Day[] {
  const [, year = '', , month = '', day = ''] = yearFirst.exec(text) ?? []
  if (year !== '') return [[year, month, day]]
  const [, dayOfMonth = '', monthOfYear = '', lastYear = ''] = dayFirst.exec(text) ?? []
  if (lastYear !== '') return [[lastYear, monthOfYear, dayOfMonth]]
  const [, first = '', , second = '', last = ''] = yearLast.exec(text) ?? []
  if (last === '') return []
  return notations.map(notation =>
    notation === 'day/month/year' ? [last, second, first] : [last, first, second]
  )
}

/**
 * Reads a date as `2026-01-31`. Returns undefined for another text, no date for a day that does not exist, and two for
 * a text that the notations read differently.
 */
export function readDates(
  text: string,
  notations: readonly DateNotation[] = dateNotations
): string[] | undefined {
  const days = listDays(text, notations)
  return days.length > 0 ? [...new Set(days.flatMap(day => toIso(day) ?? []))] : undefined
}

/** Whether a text has the form of a date, also of one that does not exist. */
export const hasDateForm = (text: string): boolean =>
  listDays(text, dateNotations).some(([, month, day]) => Number(month) <= 12 && Number(day) <= 31)

/** Writes a date in ISO 8601; undefined if the calendar does not have it. */
function toIso(day: Day): string | undefined {
  const text = day.map(part => part.padStart(2, '0')).join('-')
  return isDate(text) ? text : undefined
}
