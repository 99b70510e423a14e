import { listActiveFilters } from '../filters/active-filters.ts'
import { type Criteria, readCriteria, toWhere } from '../gallery/criteria.ts'
import { parseRule } from './format.ts'

interface Condition {
  search?: string
  componentName?: { in: string[] }
  blockchainId?: { in: number[] }
  publicProduct?: { equals: boolean }
  maxItems?: { gte: number; lte: number }
  or?: { trait: { type: string; equals?: unknown; contains?: string } }[]
  trait?: { type: string; gte?: number; lt?: number; lte?: number; date?: { gte?: string; lte?: string } }
}

/**
 * Returns the criteria of the gallery that a rule stands for; undefined if the gallery's filters cannot make this rule.
 */
export function toCriteria(rule: string): Criteria | undefined {
  const criteria = readCriteria(new URLSearchParams())
  const parsed = parseRule(rule)
  if ('problem' in parsed) return undefined
  try {
    const { and = [] } = parsed.where as { and?: Condition[] }
    for (const condition of and) add(criteria, condition)
    const isSame = toSortedText(toWhere(criteria) ?? {}) === toSortedText(parsed.where)
    return isSame ? criteria : undefined
  } catch {
    // Something else than a list, or than an object in it.
    return undefined
  }
}

/** Lists what a rule requires, in words; undefined if the gallery's filters cannot make this rule. */
export const listLabels = (rule: string): string[] | undefined => {
  const criteria = toCriteria(rule)
  return criteria && listActiveFilters(criteria).map(({ label }) => label)
}

/** Adds what a condition may mean. Whether it does is tested with the whole rule. */
function add(criteria: Criteria, condition: Condition): void {
  const { search, componentName, blockchainId, publicProduct, maxItems, or, trait } = condition
  if (search !== undefined) criteria.search = search
  if (componentName) criteria.components = componentName.in
  if (blockchainId) criteria.chains = blockchainId.in
  if (publicProduct) criteria.public = publicProduct.equals
  if (maxItems) criteria.items = [maxItems.gte, maxItems.lte]
  if (trait) {
    const { type, gte: from, lt, lte, date } = trait
    if (date) criteria.dates.push({ type, from: date.gte, to: date.lte })
    else criteria.numbers.push({ type, from, to: lt ?? lte, isBelow: lt !== undefined })
  }
  for (const { trait } of or ?? []) {
    const { type, equals, contains } = trait
    const isElement = contains !== undefined
    criteria.traits.push({ type, value: isElement ? contains : equals, element: isElement })
  }
}

/** Formats JSON with sorted keys, because the service stores them in an order of its own. */
const toSortedText = (value: object): string =>
  JSON.stringify(value, (_key, inner) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner
  )
