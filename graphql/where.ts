import { GraphQLError } from 'graphql'
import type { Comparison, TemplateFilter } from '../db/templates/conditions.ts'
import { searchTerms } from '../db/templates/search-terms.ts'

/** Conditions per filter; each element of a list counts as one. */
const maxConditions = 500
/** Levels of `and`, `or` and `not`. */
const maxLevels = 10
/** Characters. */
const maxSearchLength = 1000
/** A searched word costs the engines more than a value. */
const conditionsPerWord = 10

/** An input object as received. Null counts as absent, except in `equals` of a trait. */
type Input = { [name: string]: unknown }

/** Converts `where` to a filter. Throws BAD_USER_INPUT if a time is invalid or the filter is too large. */
export function toFilter(input: Input | null | undefined): TemplateFilter {
  let conditions = 0
  const count = (more: number) => {
    conditions += more
    if (conditions > maxConditions) throw badInput(`where has more than ${maxConditions} conditions`)
  }
  const filter = (given: Input, level: number): TemplateFilter => {
    if (level > maxLevels) throw badInput(`where is deeper than ${maxLevels} levels`)
    // An empty filter is not free either.
    count(1)
    const { and, or, not, timeCreated, timeModified, trait, search, ...rest } = present(given)
    const inner = (list: unknown) => (list as Input[]).map(each => filter(each, level + 1))
    const simple = Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [name, present(value as Input)])
    )
    count(countValues({ ...simple, ...present({ timeCreated, timeModified, trait }) }))
    if (search !== undefined) count(conditionsPerWord * countWords(search as string))
    return {
      ...simple,
      ...(timeCreated !== undefined && { timeCreated: toTimeComparison(timeCreated as Input) }),
      ...(timeModified !== undefined && { timeModified: toTimeComparison(timeModified as Input) }),
      ...(trait !== undefined && { trait: toTraitFilter(trait as Input) }),
      ...(search !== undefined && { search }),
      ...(and !== undefined && { and: inner(and) }),
      ...(or !== undefined && { or: inner(or) }),
      ...(not !== undefined && { not: filter(not as Input, level + 1) })
    } as TemplateFilter
  }
  return filter(input ?? {}, 1)
}

export const badInput = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })

const present = (input: Input): Input =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined))

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, each) => sum + countValues(each), 0)
}

function countWords(search: string): number {
  if (search.length > maxSearchLength) throw badInput(`search has more than ${maxSearchLength} characters`)
  return searchTerms(search).length
}

/** `equals: null` is a condition. */
function toTraitFilter({ equals, ...more }: Input): TemplateFilter['trait'] {
  return { ...present(more), ...(equals !== undefined && { equals }) } as TemplateFilter['trait']
}

function toTimeComparison(input: Input): Comparison<string> {
  const bounds = Object.entries(present(input)).map(([name, text]) => {
    const stored = toStoredTime(String(text))
    if (stored === undefined) throw badInput('a time must have the form YYYY-MM-DDTHH:MM:SS.ffffffZ')
    return [name, stored]
  })
  return Object.fromEntries(bounds)
}

// PostgreSQL has no year 0.
const time = /^((?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/

/** Converts a time to the stored form with six fractional digits; undefined if it is not a valid time. */
export function toStoredTime(text: string): string | undefined {
  const [, seconds, fraction = ''] = time.exec(text) ?? []
  // Date checks the day of the month.
  const real = seconds !== undefined && new Date(`${seconds}Z`).toJSON()?.startsWith(seconds)
  return real ? `${seconds}.${fraction.padEnd(6, '0')}Z` : undefined
}
