import { ArgumentError } from '../../../errors.ts'
import { toStoredTime } from '../../timestamp.ts'
import { fields, type InputType, type TemplateFilter } from './fields.ts'
import { searchTerms } from './keys.ts'
import type { Comparison, TraitFilter } from './sql.ts'

/** Conditions per filter; each element of a list counts as one. */
const maxConditions = 500
/** Levels of `and`, `or` and `not`. */
const maxLevels = 10
/** Characters of a text in a filter. To normalize a longer text would cost more than an index lookup. */
const maxTextLength = 1000
/** The number of conditions that a searched word counts as. It costs the engines more than a value. */
const conditionsPerWord = 10

/** `where` as received, or an object in it. Null counts as absent, except in `equals` of a trait. */
export type FilterInput = { [name: string]: unknown }

/** Convert the input of fields whose GraphQL type is not just an object of comparisons. */
const converters: Partial<Record<InputType, (value: FilterInput) => unknown>> = {
  TimeFilter: toTimeComparison,
  TraitFilter: toTraitFilter,
  String: value => value
}

/**
 * Converts `where` to a filter, which includes the filter of a rule. Throws ArgumentError if a time is invalid or `where` is
 * too large.
 */
export function toFilter(
  input: FilterInput | null | undefined,
  rule?: { filter: TemplateFilter }
): TemplateFilter {
  let total = 0
  const count = (more: number) => {
    total += more
    if (total > maxConditions) throw new ArgumentError(`where has more than ${maxConditions} conditions`)
  }
  const convert = (given: FilterInput, level: number): TemplateFilter => {
    if (level > maxLevels) throw new ArgumentError(`where is deeper than ${maxLevels} levels`)
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
  const filter = convert(input ?? {}, 1)
  return rule ? { and: [rule.filter, filter] } : filter
}

/** Whether a filter needs a complete index. One that is too deep does not: `toFilter` refuses it. */
export function whereNeedsIndex(input: FilterInput | null | undefined, level = 1): boolean {
  if (!input || level > maxLevels) return false
  const { and, or, not, ...conditions } = present(input)
  if (Object.keys(conditions).some(name => fields[name as keyof typeof fields]?.derived)) return true
  return [and, or, not].flat().some(inner => whereNeedsIndex(inner as FilterInput | undefined, level + 1))
}

function toCondition(name: string, value: unknown): unknown {
  if (!Object.hasOwn(fields, name)) throw new ArgumentError(`where has no field ${name}`)
  const convert = converters[fields[name as keyof typeof fields].input] ?? present
  return convert(value as FilterInput)
}

/** Counts the conditions in the input of a field. Throws ArgumentError for a text that is too long. */
function measure(name: string, value: unknown): number {
  const conditions = countValues(value)
  return name === 'search' ? conditionsPerWord * searchTerms(String(value)).length : conditions
}

/** Removes null and undefined values. */
export const present = (input: object): FilterInput =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined))

function countValues(value: unknown): number {
  if (typeof value === 'string' && value.length > maxTextLength)
    throw new ArgumentError(`a text in where has more than ${maxTextLength} characters`)
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(present(value)).reduce((sum: number, each) => sum + countValues(each), 0)
}

/** `equals: null` is a condition. */
function toTraitFilter({ equals, gt, gte, lt, lte, ...more }: FilterInput): TraitFilter {
  const bounds = present({ gt, gte, lt, lte })
  return {
    ...present(more),
    ...(equals !== undefined && { equals }),
    ...(Object.keys(bounds).length > 0 && { bounds })
  } as unknown as TraitFilter
}

function toTimeComparison(input: FilterInput): Comparison<string> {
  const bounds = Object.entries(present(input)).map(([name, text]) => {
    const stored = toStoredTime(String(text))
    if (stored === undefined) throw new ArgumentError('a time must have the form YYYY-MM-DDTHH:MM:SS.ffffffZ')
    return [name, stored]
  })
  return Object.fromEntries(bounds)
}
