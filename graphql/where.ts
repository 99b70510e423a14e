import { GraphQLError } from 'graphql'
import type { Comparison, TemplateFilter } from '../db/templates/conditions.ts'
import { searchTerms } from '../db/templates/search-terms.ts'

/** Conditions of one filter, each value of a list counted; levels of `and`, `or` and `not`. */
const mostConditions = 500
const deepest = 10
/** Characters of a search; what a word of it counts, which takes the engines longer than a value. */
const longestSearch = 1000
const conditionsOfWord = 10

/** An input object as it comes: null counts as absent, but where a trait has no value. */
type Input = { [name: string]: unknown }

/** The filter of a query. Throws BAD_USER_INPUT for a time that is none, and for a filter that is too large. */
export function toFilter(input: Input | null | undefined): TemplateFilter {
  let conditions = 0
  const count = (more: number) => {
    conditions += more
    if (conditions > mostConditions) throw badInput(`where has more than ${mostConditions} conditions`)
  }
  const filter = (given: Input, level: number): TemplateFilter => {
    if (level > deepest) throw badInput(`where is deeper than ${deepest} levels`)
    // One without a condition is not free, either.
    count(1)
    const { and, or, not, timeCreated, timeModified, trait, search, ...rest } = present(given)
    const inner = (list: unknown) => (list as Input[]).map(each => filter(each, level + 1))
    const simple = Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [name, present(value as Input)])
    )
    count(sizeOf({ ...simple, ...present({ timeCreated, timeModified, trait }) }))
    if (search !== undefined) count(conditionsOfWord * wordsOf(search as string))
    return {
      ...simple,
      ...(timeCreated !== undefined && { timeCreated: times(timeCreated as Input) }),
      ...(timeModified !== undefined && { timeModified: times(timeModified as Input) }),
      ...(trait !== undefined && { trait: traitOf(trait as Input) }),
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

/** Values in an input. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, each) => sum + sizeOf(each), 0)
}

function wordsOf(search: string): number {
  if (search.length > longestSearch) throw badInput(`search has more than ${longestSearch} characters`)
  return searchTerms(search).length
}

/** `equals: null` is a condition of its own. */
function traitOf({ equals, ...more }: Input): TemplateFilter['trait'] {
  return { ...present(more), ...(equals !== undefined && { equals }) } as TemplateFilter['trait']
}

function times(input: Input): Comparison<string> {
  const bounds = Object.entries(present(input)).map(([name, text]) => {
    const stored = toStoredTime(String(text))
    if (stored === undefined) throw badInput('a time has the form YYYY-MM-DDTHH:MM:SS.ffffffZ')
    return [name, stored]
  })
  return Object.fromEntries(bounds)
}

// PostgreSQL knows no year 0.
const time = /^((?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/

/** A time with six digits, as it is stored; undefined for a text that is none. */
export function toStoredTime(text: string): string | undefined {
  const [, seconds, fraction = ''] = time.exec(text) ?? []
  // Date knows the days of each month.
  const real = seconds !== undefined && new Date(`${seconds}Z`).toJSON()?.startsWith(seconds)
  return real ? `${seconds}.${fraction.padEnd(6, '0')}Z` : undefined
}
