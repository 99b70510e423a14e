import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db, Transaction } from '../../schema.ts'
import { timestampAfter } from '../../timestamp.ts'
import { findRevision } from '../revisions/revisions.ts'
import { permits, type TemplateRule } from '../rule.ts'
import type { PinnedTemplate } from '../table/product-templates.ts'
import { makeProblem } from '../validation/problem.ts'
import {
  conflict,
  type Decision,
  decideCreation,
  decideValues,
  refuse,
  type Written,
  writeDecisions
} from './decisions.ts'
import type { Author, Existing } from './rights.ts'

/** A template and the revision whose contents it gets. */
export interface Restoration {
  id: number
  revision: number
  /** Restore only if this is the number of the last revision. For a deleted template, that is its deletion. */
  expectedRevision?: number | undefined
}

/**
 * Gives different templates, also deleted ones, the fields of their revisions, as new revisions. Returns the result for each,
 * in the same order. If one has a problem, nothing is written. `existing` are those of them that are stored.
 */
export async function restoreRevisions(
  transaction: Transaction,
  wanted: Restoration[],
  { templates, hidden }: Existing,
  author: Author
): Promise<Written[]> {
  const stored = new Map(templates.map(template => [template.id, template]))
  const deleted = await findDeleted(
    transaction,
    wanted.map(({ id }) => id).filter(id => !stored.has(id) && !hidden.has(id))
  )
  const decisions: Decision[] = []
  // One by one, because documents may be long.
  for (const each of wanted) {
    const state = { current: stored.get(each.id), deleted: deleted.get(each.id) }
    const values = await findRevision(transaction, each.id, each.revision)
    const isSeen =
      values && permits(author.rule, values) && (await seesDeleted(transaction, each.id, state, author.rule))
    decisions.push(decide(each, isSeen ? values : undefined, state))
  }
  return writeDecisions(transaction, decisions, 'RESTORE', author)
}

/** The current state of a template: stored or deleted; neither if it is hidden or never existed. */
interface State {
  current: PinnedTemplate | undefined
  deleted: { revision: number; timeModified: string } | undefined
}

/** Decides how to give a template these values; undefined: the revision does not exist or the caller may not see it. */
function decide(
  { expectedRevision }: Restoration,
  values: PinnedTemplate | undefined,
  { current, deleted }: State
): Decision {
  const last = current ?? deleted
  if (!values || !last)
    return { result: refuse(makeProblem('NOT_FOUND', 'the template has no such revision', 'revision')) }
  const { revision, timeModified } = last
  if ((expectedRevision ?? revision) !== revision) return { result: conflict(current, revision) }
  if (current) return decideValues(current, values)
  return decideCreation({ ...values, timeModified: timestampAfter(timeModified) })
}

/** Whether the rule permits what a template had before its deletion. One that is stored is not hidden. */
async function seesDeleted(
  db: Db,
  id: number,
  { deleted }: State,
  rule: TemplateRule | undefined
): Promise<boolean> {
  if (!rule || !deleted) return true
  const last = await findRevision(db, id, deleted.revision - 1)
  return last !== undefined && permits(rule, last)
}

/** Finds the last revisions of deleted templates, and the times of their last modification. */
async function findDeleted(db: Db, ids: number[]) {
  if (ids.length === 0) return new Map<number, never>()
  const { isOneOf } = engineOf(db).syntax
  const { rows } = await sql<{ id: number; revision: number; timeModified: string }>`
    select template_id as id, max(time_modified) as "timeModified", (
      select max(number) from product_revision where product_revision.template_id = past.template_id
    ) as revision
    from product_template_past as past where ${isOneOf(sql.ref('past.template_id'), ids)} group by template_id`.execute(
    db
  )
  return new Map(rows.map(row => [row.id, row]))
}
