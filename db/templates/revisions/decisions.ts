/** What creations, changes and restorations do to each template. Nothing is written if one of them has a problem. */
import { isDeepStrictEqual } from 'node:util'
import type { Db, RevisionAction } from '../../schema.ts'
import type { DeferredEntries } from '../index/deferred-entries.ts'
import { chosenFields, type ProductTemplate, type TemplateValues } from '../table/columns.ts'
import { type Problem, type ValidationOptions, validateTemplate } from '../validation/validate.ts'
import {
  changeTemplates,
  done,
  insertTemplates,
  refuse,
  type TemplateChange,
  unchanged,
  type Written
} from './apply.ts'
import type { Author, PinnedTemplate } from './revisions.ts'

export interface Decision {
  /** The result. The write completes it if it inserts or changes the template. */
  result: Written
  insert?: ProductTemplate
  change?: TemplateChange
}

/** Decides how to give a locked template new values. */
export function decideChange(
  before: PinnedTemplate,
  values: Partial<TemplateValues>,
  rules: ValidationOptions
): Decision {
  const decision = decideValues(before, values)
  if (!decision.change) return decision
  const { problems, warnings } = validateChange(decision.change.after, values, rules)
  if (problems.length > 0) return { result: refuse(...problems) }
  return { ...decision, result: { ...decision.result, warnings } }
}

/** Like {@link decideChange}, for values that need no check. */
export function decideValues(before: PinnedTemplate, values: Partial<TemplateValues>): Decision {
  const given = chosenFields.filter(field => values[field] !== undefined)
  const after = { ...before, ...Object.fromEntries(given.map(field => [field, values[field]])) }
  if (isDeepStrictEqual(after, before)) return { result: unchanged(before) }
  return { result: { ...done(before), before }, change: { before, after } }
}

/** Validates a changed template and keeps the problems of changed fields. A new componentName may make `data` invalid. */
function validateChange(
  changed: ProductTemplate,
  changes: Partial<TemplateValues>,
  rules: ValidationOptions
) {
  const fields = Object.keys(changes)
  if ('componentName' in changes) fields.push('data')
  // The problem "there are more problems" has no path. Only a document can have that many problems.
  const concerns = ({ path: [field = 'data'] }: Problem) => fields.includes(field)
  const { problems, warnings } = validateTemplate(changed, rules)
  return { problems: problems.filter(concerns), warnings: warnings.filter(concerns) }
}

/** Inserts and changes templates, as new revisions, and returns the results in the order of the decisions. */
export async function writeDecisions(
  db: Db,
  decisions: Decision[],
  action: RevisionAction,
  author: Author,
  deferred?: DeferredEntries
): Promise<Written[]> {
  const results = decisions.map(({ result }) => result)
  if (results.some(({ problems }) => problems.length > 0)) return results
  const inserts = decisions.flatMap(({ insert = [] }) => insert)
  const changes = decisions.flatMap(({ change = [] }) => change)
  const inserted = await insertTemplates(db, inserts, action, author)
  const changed = await changeTemplates(db, changes, action, author, deferred)
  const written = new Map([...inserted, ...changed].map(template => [template.id, template]))
  return decisions.map(({ result, insert, change }) => {
    const product = written.get((insert ?? change?.after)?.id as number)
    return product ? { ...result, product, revision: product.revision } : result
  })
}
