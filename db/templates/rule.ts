/**
 * Rules on templates: a rule is a filter for the templates that a caller sees and writes. Every search includes the
 * filter. Without a search, the contents are tested: of a single template, of each revision, and of each write.
 */
import type { ProductTemplate } from '../../domain/columns.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import {
  checkWhere,
  type FilterInput,
  filterNeedsIndex,
  requireConditions,
  type TemplateFilter,
  toFilter
} from './filter/filter.ts'
import { matchesFilter } from './filter/plan.ts'

export interface TemplateRule {
  filter: TemplateFilter
  /** Whether its filter needs the index or the document. */
  needsIndex: boolean
  /** JSON of `where`. Callers with the same rule get the same responses. */
  text: string
}

/** Whether a caller with this rule, if there is one, sees and writes a template with these contents. */
export const permits = (rule: TemplateRule | undefined, template: ProductTemplate): boolean =>
  rule === undefined || matchesFilter(rule.filter, template)

/** Makes the filter for templates that both rules permit; undefined if there are no rules. */
export const combineRules = (one?: TemplateRule, other?: TemplateRule): TemplateFilter | undefined =>
  one && other ? { and: [one.filter, other.filter] } : (one ?? other)?.filter

/** Makes a rule from a checked `where`. Throws ArgumentError if it is too large. */
export function toRule(where: FilterInput): TemplateRule {
  const filter = toFilter(where)
  return { text: JSON.stringify(where), filter, needsIndex: filterNeedsIndex(filter) }
}

/** Makes a rule from a `where` as in the API. Throws ArgumentError for other values and empty conditions. */
export function readRule(where: unknown, path = 'where'): TemplateRule {
  try {
    checkWhere(where, path)
    requireConditions(where, path)
    // Makes a copy, because the host may change its object later.
    return toRule(JSON.parse(JSON.stringify(where)))
  } catch (error) {
    if (error instanceof RangeError) throw new ArgumentError(`${path} is nested too deeply`)
    throw error
  }
}

/** Reads a stored rule. A rule that this program does not understand, such as a newer program's, permits nothing. */
export function readStoredRule(text: string): TemplateRule {
  try {
    return readRule(JSON.parse(text))
  } catch {
    return nothing
  }
}

const nothing = readRule({ or: [] })
