import { type ASTNode, GraphQLError } from 'graphql'
import { fields, type InputType, type TemplateFilter } from '../../db/templates/filter/fields.ts'
import { searchTerms } from '../../db/templates/filter/keys.ts'
import type { Comparison, TraitFilter } from '../../db/templates/filter/sql.ts'
import { toStoredTime } from '../../db/timestamp.ts'

export { toStoredTime }

/** Conditions per filter; each element of a list counts as one. */
const maxConditions = 500
/** Levels of `and`, `or` and `not`. */
const maxLevels = 10
/** Characters of a text in a filter. To normalize a longer text would cost more than an index lookup. */
const maxTextLength = 1000
/** Conditions that a searched word counts as, because it costs the engines more than a value. */
const conditionsPerWord = 10

/** `where` as received, or an object in it. Null counts as absent, except in `equals` of a trait. */
export type FilterInput = { [name: string]: unknown }

/** By the name of a GraphQL type: converts the input of a field that is not just an object of comparisons. */
const converters: Partial<Record<InputType, (value: FilterInput) => unknown>> = {
  TimeFilter: toTimeComparison,
  TraitFilter: toTraitFilter,
  String: value => value
}

/** Converts `where` to a filter. Throws BAD_USER_INPUT if a time is invalid or the filter is too large. */
export function toFilter(input: FilterInput | null | undefined): TemplateFilter {
  let total = 0
  const count = (more: number) => {
    total += more
    if (total > maxConditions) throw badInput(`where has more than ${maxConditions} conditions`)
  }
  const convert = (given: FilterInput, level: number): TemplateFilter => {
    if (level > maxLevels) throw badInput(`where is deeper than ${maxLevels} levels`)
    // An empty filter also has a cost.
    count(1)
    const { and, or, not, ...conditions } = present(given)
    const inner = (list: unknown) => (list as FilterInput[]).map(each => convert(each, level + 1))
    return {
      ...Object.fromEntries(
        Object.entries(conditions).map(([name, value]) => {
          count(measure(name, value))
          return [name, toCondition(name, value)]
        })
      ),
      ...(and !== undefined && { and: inner(and) }),
      ...(or !== undefined && { or: inner(or) }),
      ...(not !== undefined && { not: convert(not as FilterInput, level + 1) })
    }
  }
  return convert(input ?? {}, 1)
}

function toCondition(name: string, value: unknown): unknown {
  if (!Object.hasOwn(fields, name)) throw badInput(`where has no field ${name}`)
  const convert = converters[fields[name as keyof typeof fields].input] ?? present
  return convert(value as FilterInput)
}

/** Counts the conditions in the input of a field. Throws BAD_USER_INPUT for a text that is too long. */
function measure(name: string, value: unknown): number {
  const conditions = countValues(value)
  return name === 'search' ? conditionsPerWord * searchTerms(String(value)).length : conditions
}

export const badInput = (message: string, nodes: readonly ASTNode[] | null = null) =>
  new GraphQLError(message, { nodes, extensions: { code: 'BAD_USER_INPUT' } })

/** Removes null and undefined values. */
export const present = (input: object): FilterInput =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined))

function countValues(value: unknown): number {
  if (typeof value === 'string' && value.length > maxTextLength)
    throw badInput(`a text in where has more than ${maxTextLength} characters`)
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(present(value)).reduce((sum: number, each) => sum + countValues(each), 0)
}

/** `equals: null` is a condition. */
function toTraitFilter({ equals, ...more }: FilterInput): TraitFilter {
  return { ...present(more), ...(equals !== undefined && { equals }) } as unknown as TraitFilter
}

function toTimeComparison(input: FilterInput): Comparison<string> {
  const bounds = Object.entries(present(input)).map(([name, text]) => {
    const stored = toStoredTime(String(text))
    if (stored === undefined) throw badInput('a time must have the form YYYY-MM-DDTHH:MM:SS.ffffffZ')
    return [name, stored]
  })
  return Object.fromEntries(bounds)
}
