/**
 * Rules on templates: a rule is a filter that says which templates somebody sees and writes. Every search includes the
 * filter. Without a search, `permits` tests the contents: of a single template, of each revision, and of each write.
 */
import { ArgumentError } from '../../../errors.ts'
import { testCostPerCharacter } from '../costs.ts'
import { fields, type InputType, type TemplateFilter } from '../filter/fields.ts'
import { type FilterInput, toFilter, whereNeedsIndex } from '../filter/input.ts'
import { typeKeys } from '../filter/keys.ts'
import type { Comparison, NameFilter, TextFilter } from '../filter/sql.ts'
import type { ProductTemplate } from '../table/columns.ts'
import { isObject } from '../table/document.ts'
import { matchesFilter } from './matches.ts'

export interface TemplateRule {
  /** JSON of `where`. Whoever has the same rule gets the same answers. */
  text: string
  filter: TemplateFilter
  needsIndex: boolean
}

/** Whether somebody with this rule, if there is one, sees and writes a template with these contents. */
export const permits = (rule: TemplateRule | undefined, template: ProductTemplate): boolean =>
  rule === undefined || matchesFilter(rule.filter, template)

/** Returns the cost of `permits`. A rule on columns does not read the document. */
export const costOfPermits = (rule: TemplateRule, { data }: Pick<ProductTemplate, 'data'>): number =>
  rule.needsIndex ? data.length * testCostPerCharacter : 0

/** Makes the rule that permits what both rules permit. */
export const combineRules = (one: TemplateRule | undefined, other: TemplateRule | undefined) =>
  one && other
    ? {
        text: '',
        filter: { and: [one.filter, other.filter] },
        needsIndex: one.needsIndex || other.needsIndex
      }
    : (one ?? other)

/** Makes a rule from a `where` that GraphQL or {@link readRule} has checked. Throws ArgumentError if it is too large. */
export const toRule = (where: FilterInput): TemplateRule => ({
  text: JSON.stringify(where),
  filter: toFilter(where),
  needsIndex: whereNeedsIndex(where)
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

type Check = (value: unknown) => boolean

const isText: Check = value => typeof value === 'string'
const isBoolean: Check = value => typeof value === 'boolean'
const isInteger: Check = value => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31
const isListOf =
  (check: Check): Check =>
  value =>
    Array.isArray(value) && value.every(check)
/** A host may give a value that JSON does not have. It must not become another condition, or no condition. */
const isJson: Check = value =>
  JSON.stringify(value) !== undefined && (typeof value !== 'number' || Number.isFinite(value))
const bounds = (check: Check) => ({ gt: check, gte: check, lt: check, lte: check })
const oneOf = (check: Check) => ({ equals: check, in: isListOf(check) })

/** The operands of the input types of the GraphQL schema. */
const operands = {
  IntFilter: { ...oneOf(isInteger), ...bounds(isInteger) },
  StringFilter: oneOf(isText),
  NameFilter: { ...oneOf(isText), contains: isText, startsWith: isText },
  BooleanFilter: { equals: isBoolean },
  TimeFilter: bounds(isText),
  TraitFilter: {
    // The meaning of a truncated name depends on the other templates.
    type: value => typeof value === 'string' && typeKeys(value).length === 1,
    ...oneOf(isJson),
    contains: isText,
    ...bounds(Number.isFinite),
    exists: isBoolean
  }
} satisfies Record<Exclude<InputType, 'String'>, Record<string, Check>> & {
  IntFilter: Record<keyof Comparison<number>, Check>
  StringFilter: Record<keyof TextFilter, Check>
  NameFilter: Record<keyof NameFilter, Check>
}

/**
 * Checks JSON as GraphQL checks what clients send, but refuses null. An empty object is a mistake: it would permit
 * everything.
 */
function checkWhere(where: unknown, path: string): asserts where is FilterInput {
  checkObject(where, path)
  for (const [name, value] of Object.entries(where)) {
    const place = `${path}.${name}`
    if (name === 'not') checkWhere(value, place)
    else if (name === 'and' || name === 'or') {
      if (!Array.isArray(value)) throw new ArgumentError(`${place} must be a list`)
      if (name === 'and' && value.length === 0) throw new ArgumentError(`${place} must have a condition`)
      for (const each of value) checkWhere(each, place)
    } else checkField(name, value, place)
  }
}

function checkObject(value: unknown, place: string): asserts value is FilterInput {
  if (!isObject(value)) throw new ArgumentError(`${place} must be an object`)
  if (Object.keys(value).length === 0) throw new ArgumentError(`${place} must have a condition`)
}

function checkField(name: string, value: unknown, place: string): void {
  if (!Object.hasOwn(fields, name)) throw new ArgumentError(`${place} is no field of a filter`)
  const { input } = fields[name as keyof typeof fields]
  if (input === 'String') {
    if (!isText(value)) throw new ArgumentError(`${place} must be a text`)
    return
  }
  checkObject(value, place)
  if (input === 'TraitFilter' && !('type' in value)) throw new ArgumentError(`${place}.type is missing`)
  const checks: Record<string, Check> = operands[input]
  for (const [operand, given] of Object.entries(value)) {
    if (!Object.hasOwn(checks, operand))
      throw new ArgumentError(`${place} does not support the operator ${operand}`)
    if (!checks[operand]?.(given)) throw new ArgumentError(`${place}.${operand} has a wrong value`)
  }
}

const nothing = readRule({ or: [] })
