/**
 * Rules on templates: a rule is a filter that says which templates somebody sees and writes. Every search includes the
 * filter. Without a search, `permits` tests the contents: of a single template, of each revision, and of each write.
 */
import { ArgumentError } from '../../errors.ts'
import { present } from '../../json-values.ts'
import { testCostPerCharacter } from './costs.ts'
import {
  type FilterInput,
  filterNeedsIndex,
  operandOf,
  type TemplateFilter,
  toFilter
} from './filter/filter.ts'
import { matchesFilter } from './filter/matches.ts'
import { checkObject } from './filter/operands/operand.ts'
import type { ProductTemplate } from './table/columns.ts'

export interface TemplateRule {
  filter: TemplateFilter
  /** JSON of `where`. Whoever has the same rule gets the same answers. */
  text: string
}

/** Whether somebody with this rule, if there is one, sees and writes a template with these contents. */
export const permits = (rule: TemplateRule | undefined, template: ProductTemplate): boolean =>
  rule === undefined || matchesFilter(rule.filter, template)

/** Returns the cost of `permits`. A rule on columns does not read the document. */
export const costOfPermits = ({ filter }: TemplateRule, { data }: ProductTemplate): number =>
  filterNeedsIndex(filter) ? data.length * testCostPerCharacter : 0

/** Makes the filter of what both rules permit; undefined if there are no rules. */
export const combineRules = (one?: TemplateRule, other?: TemplateRule): TemplateFilter | undefined =>
  one && other ? { and: [one.filter, other.filter] } : (one ?? other)?.filter

/** Makes a rule from a `where` that GraphQL or {@link readRule} has checked. Throws ArgumentError if it is too large. */
export const toRule = (where: FilterInput): TemplateRule => ({
  text: JSON.stringify(where),
  filter: toFilter(where)
})

/** Makes a rule from a `where` as in the API. Throws ArgumentError if it is not one, or has no condition. */
export function readRule(where: unknown, place = 'where'): TemplateRule {
  try {
    checkWhere(where, place)
    // A copy, because the host may change its object later.
    return toRule(JSON.parse(JSON.stringify(where)))
  } catch (error) {
    if (error instanceof RangeError) throw new ArgumentError(`${place} is nested too deeply`)
    throw error
  }
}

/** Reads a stored rule. One that this program does not understand, such as that of a newer one, permits nothing. */
export function readStoredRule(text: string): TemplateRule {
  try {
    return readRule(JSON.parse(text))
  } catch {
    return nothing
  }
}

/** Checks the operators in a `where` of a host, in which null counts as absent, as in GraphQL. Throws ArgumentError. */
export function checkConditions(where: FilterInput, path = 'where'): void {
  const { and, or, not, ...byField } = present(where)
  for (const [name, value] of Object.entries(byField)) {
    const { equals } = Object(value)
    // A trait may equal null.
    const isNull = name === 'trait' && equals === null
    const given =
      typeof value === 'object' ? { ...present(value as object), ...(isNull && { equals }) } : value
    const isEmpty = typeof given === 'object' && Object.keys(given).length === 0
    if (name === 'trait' || !isEmpty) operandOf(name)?.check(given, `${path}.${name}`)
  }
  for (const [name, inner] of Object.entries({ and, or }))
    if (inner !== undefined && !Array.isArray(inner))
      throw new ArgumentError(`${path}.${name} must be a list`)
  for (const inner of [and, or, not].flat()) if (inner) checkConditions(inner as FilterInput, path)
}

/** Checks JSON as GraphQL checks what clients send, but refuses null. */
function checkWhere(where: unknown, path: string): asserts where is FilterInput {
  checkObject(where, path)
  for (const [name, value] of Object.entries(where)) {
    const place = `${path}.${name}`
    if (name === 'not') checkWhere(value, place)
    else if (name === 'and' || name === 'or') {
      if (!Array.isArray(value)) throw new ArgumentError(`${place} must be a list`)
      if (name === 'and' && value.length === 0) throw new ArgumentError(`${place} must have a condition`)
      for (const each of value) checkWhere(each, place)
    } else {
      const operand = operandOf(name)
      if (!operand) throw new ArgumentError(`${place} is no field of a filter`)
      operand.check(value, place)
    }
  }
}

const nothing = readRule({ or: [] })
