/** `where`: its fields, the filter that it becomes, and its limits. */
import { hasMoreCharacters } from '../../../runtime/characters.ts'
import { ArgumentError } from '../../../runtime/host-errors.ts'
import { omitNullish } from '../../../runtime/json-values.ts'
import { compareBooleans, compareIntegers, compareTexts, compareTimes } from './operands/comparison.ts'
import { name } from './operands/name.ts'
import { type Operand, readObject, requireEntries } from './operands/operand.ts'
import { productId, search } from './operands/search.ts'
import { trait } from './operands/trait.ts'

/**
 * Every field that templates can be filtered by. The input type in the GraphQL schema, the type of a filter, its SQL
 * and its meaning in memory are derived from this table. The indexes of the orders need the column too; a test names
 * one that lacks it.
 */
export const fields = {
  id: { ...compareIntegers('id', 'columnIndex'), description: 'Condition on the identifier.' },
  name: { ...name, description: 'Condition on the display name.' },
  componentName: { ...compareTexts('componentName'), description: 'Condition on the UI component.' },
  blockchainId: { ...compareIntegers('blockchainId'), description: 'Condition on the blockchain.' },
  publicProduct: {
    ...compareBooleans('publicProduct'),
    description: 'Condition on whether the template is public.'
  },
  maxItems: { ...compareIntegers('maxItems'), description: 'Condition on the maximum number of items.' },
  timeCreated: { ...compareTimes('timeCreated'), description: 'Condition on the creation time.' },
  timeModified: {
    ...compareTimes('timeModified'),
    description: 'Condition on the time of the last modification.'
  },
  productId: {
    ...productId,
    description: 'Condition on `productId` of the document; a number counts as its text.'
  },
  trait: {
    ...trait,
    description: 'Condition on a trait of the document. Use `and` for several traits.'
  },
  search: {
    ...search,
    description:
      'Words to find. Each must be the prefix of a word in the name, the description or the displayed value of a trait. ' +
      'Only letters and digits count; case and accents are ignored. `out1003` finds `OUT-1003`. At most 1000 characters.'
  }
}

type FieldName = keyof typeof fields

/** Returns the operand of a field of a filter that GraphQL or {@link checkWhere} has checked. */
export const operandOf = (field: string): Operand<unknown> => fields[field as FieldName] as Operand<unknown>

/** Conditions of a filter, by field. */
type FieldConditions = {
  [Name in FieldName]?: (typeof fields)[Name] extends Operand<infer Value> ? Value : never
}

/** Conditions on templates; all must hold. */
export interface TemplateFilter extends FieldConditions {
  /** An empty list is ignored. */
  and?: TemplateFilter[]
  /** An empty list matches nothing. */
  or?: TemplateFilter[]
  not?: TemplateFilter
}

/** Conditions per filter: its values, and the filters within it. */
const maxConditions = 500
/** Levels of `and`, `or` and `not`. */
const maxLevels = 10
/** Characters of a text in a filter. To normalize a longer text would cost more than an index lookup. */
const maxTextLength = 1000

/** `where` as received, or an object in it. Null counts as absent, except in `equals` of a trait. */
export type FilterInput = { [name: string]: unknown }

/** Generates the conditions of a filter, or of a `where` that was checked, at all levels. */
function* listConditions({
  and,
  or,
  not,
  ...conditions
}: TemplateFilter | FilterInput): Generator<[field: string, value: unknown]> {
  yield* Object.entries(conditions)
  for (const inner of [and, or, not].flat() as (TemplateFilter | null | undefined)[])
    if (inner) yield* listConditions(inner)
}

/** Whether a filter, or a `where` that was checked, needs a complete index. */
export const filterNeedsIndex = (filter: TemplateFilter | FilterInput): boolean =>
  [...listConditions(filter)].some(([field]) => operandOf(field).accessPath === 'templateIndex')

/** Whether a `where` that was checked names only columns without an index, so that each row is tested. */
export const isTestedByRow = (where: FilterInput): boolean =>
  Object.keys(where).every(name => Object.hasOwn(fields, name) && operandOf(name).accessPath === 'scan')

/** Checks a `where` that GraphQL has not checked: that of a rule, or of a host that searches. Throws ArgumentError. */
export function checkWhere(where: unknown, path: string): asserts where is FilterInput {
  for (const [name, value] of Object.entries(readObject(where, path))) {
    const namePath = `${path}.${name}`
    if (name === 'not') checkWhere(value, namePath)
    else if (name === 'and' || name === 'or') {
      if (!Array.isArray(value)) throw new ArgumentError(`${namePath} must be a list`)
      for (const each of value) checkWhere(each, namePath)
    } else {
      if (!Object.hasOwn(fields, name)) throw new ArgumentError(`${namePath} is not a field of a filter`)
      operandOf(name).check(value, namePath)
    }
  }
}

/**
 * Throws ArgumentError if a checked `where` has a part that says nothing, such as `{}`, null, or a search without
 * words. A search ignores that part. Otherwise, a missing value would make a rule permit everything, or a mutation
 * change everything. An empty list matches nothing, so within `not` it would match everything.
 */
export function requireConditions(where: FilterInput, path: string, isNegated = false): void {
  for (const [name, value] of requireEntries(where, path)) {
    const namePath = `${path}.${name}`
    if (name === 'not') requireConditions(value as FilterInput, namePath, true)
    else if (name === 'and' || name === 'or') {
      const list = value as FilterInput[]
      if ((name === 'and' || isNegated) && list.length === 0)
        throw new ArgumentError(`${namePath} must have a condition`)
      for (const each of list) requireConditions(each, namePath, isNegated)
    } else {
      operandOf(name).require(value, namePath)
      const { in: list } = Object(value) as { in?: unknown[] }
      if (isNegated && list?.length === 0)
        throw new ArgumentError(`${namePath}.in must have a value within not`)
    }
  }
}

/** Converts `where` and a rule to a filter. Throws ArgumentError for a wrong time or date, or too large a `where`. */
export function toFilter(
  input: FilterInput | null | undefined,
  rule?: { filter: TemplateFilter }
): TemplateFilter {
  let total = 0
  const count = (more: number) => {
    total += more
    if (total > maxConditions) throw new ArgumentError(`where has more than ${maxConditions} conditions`)
  }
  const convert = (where: FilterInput, level: number): TemplateFilter => {
    if (level > maxLevels) throw new ArgumentError(`where is deeper than ${maxLevels} levels`)
    // An inner filter has a cost even if it is empty.
    if (level > 0) count(1)
    const { and, or, not, ...conditions } = omitNullish(where)
    const inner = (list: unknown) => (list as FilterInput[]).map(each => convert(each, level + 1))
    return {
      ...Object.fromEntries(
        Object.entries(conditions).map(([name, value]) => {
          const operand = operandOf(name)
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
  const filter = convert(input ?? {}, 0)
  return rule ? { and: [rule.filter, filter] } : filter
}

/** Counts the values of an operand. Throws ArgumentError for a text that is too long. */
function countValues(value: unknown): number {
  if (typeof value === 'string' && hasMoreCharacters(value, maxTextLength))
    throw new ArgumentError(`a text in where has more than ${maxTextLength} characters`)
  if (typeof value !== 'object' || value === null) return 1
  // An element of a list is a value even if it is null or an empty list.
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + Math.max(1, countValues(each)), 0)
  return Object.values(omitNullish(value)).reduce((sum: number, each) => sum + countValues(each), 0)
}
