import { ArgumentError } from '../../../errors.ts'
import { present } from '../../../json-values.ts'
import { operandOf, type TemplateFilter } from './fields.ts'

/** Conditions per filter; each element of a list counts as one. */
const maxConditions = 500
/** Levels of `and`, `or` and `not`. */
const maxLevels = 10
/** Characters of a text in a filter. To normalize a longer text would cost more than an index lookup. */
const maxTextLength = 1000

/** `where` as received, or an object in it. Null counts as absent, except in `equals` of a trait. */
export type FilterInput = { [name: string]: unknown }

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
          const operand = operandOf(name)
          if (!operand) throw new ArgumentError(`where has no field ${name}`)
          const values = countValues(value)
          count(operand.count?.(value) ?? values)
          return [name, operand.read(value as object)]
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
  if (Object.keys(conditions).some(name => operandOf(name)?.isDerived)) return true
  return [and, or, not].flat().some(inner => whereNeedsIndex(inner as FilterInput | undefined, level + 1))
}

/** Counts the values of an operand. Throws ArgumentError for a text that is too long. */
function countValues(value: unknown): number {
  if (typeof value === 'string' && value.length > maxTextLength)
    throw new ArgumentError(`a text in where has more than ${maxTextLength} characters`)
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(present(value)).reduce((sum: number, each) => sum + countValues(each), 0)
}
