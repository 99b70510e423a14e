import { GraphQLError } from 'graphql'
import type { Comparison, TemplateFilter } from '../db/repositories/template-filter.ts'

/** Conditions of one filter, lists counted by their values; levels of `and`, `or` and `not`. */
const mostConditions = 500
const deepest = 10

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
    const { and, or, not, timeCreated, timeModified, trait, ...rest } = present(given)
    const inner = (list: unknown) => (list as Input[]).map(each => filter(each, level + 1))
    const simple = Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : present(value as Input)
      ])
    )
    count(sizeOf(simple) + sizeOf({ timeCreated, timeModified, trait }))
    return {
      ...simple,
      ...(timeCreated !== undefined && { timeCreated: times(timeCreated as Input) }),
      ...(timeModified !== undefined && { timeModified: times(timeModified as Input) }),
      ...(trait !== undefined && { trait: traitOf(trait as Input) }),
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
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + sizeOf(each), 1)
  if (typeof value === 'object' && value !== null) return sizeOf(Object.values(value))
  return 1
}

/** `equals: null` is a condition of its own. */
function traitOf({ equals, ...more }: Input): TemplateFilter['trait'] {
  return { ...present(more), ...(equals !== undefined && { equals }) } as TemplateFilter['trait']
}

const times = (input: Input): Comparison<string> =>
  Object.fromEntries(Object.entries(present(input)).map(([name, text]) => [name, toStoredTime(String(text))]))

const time = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/

/** A time with six digits, as it is stored. Throws BAD_USER_INPUT. */
export function toStoredTime(text: string): string {
  const [, seconds, fraction = ''] = time.exec(text) ?? []
  // Date knows the days of each month.
  const real = seconds !== undefined && new Date(`${seconds}Z`).toJSON()?.startsWith(seconds)
  if (!real) throw badInput('a time has the form YYYY-MM-DDTHH:MM:SS.ffffffZ')
  return `${seconds}.${fraction.padEnd(6, '0')}Z`
}
