import { timestampAfter } from '../../../domain/timestamp.ts'
import { apiWords, checkField } from '../../../domain/validation/fields.ts'
import { makeProblem } from '../../../domain/validation/problem.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import type { Db, Transaction } from '../../schema.ts'
import type { TemplateWithRevision } from '../product-templates.ts'
import { findRevision, findTemplateAt } from '../revisions/revisions.ts'
import { permits, type TemplateRule } from '../rule.ts'
import { conflict, type Decision, decideValues, refuse, type Write, type WriteTarget } from './decisions.ts'
import { refuseForbidden } from './missing-rights.ts'
import { type Author, findDeletions, type StoredTemplates } from './rights.ts'

/** A template and the revision whose fields it gets. For a deleted template, `expectedRevision` is its deletion. */
export interface Restoration extends WriteTarget {
  revision: number
}

/** Gives a template the fields of a revision, as a new revision. */
export const restoration: Write<Restoration> = { action: 'RESTORE', decide: decideAll }

/**
 * Restores many templates, to undo a bulk change. With an expected revision, the revision may be 0 or a deletion: the
 * template is deleted. If the author lacks a right for a template, that is a problem of this template, so that the
 * others can be undone.
 */
export const bulkRestoration: Write<Restoration> = {
  action: 'RESTORE',
  async decide(targets, stored, { transaction, author }) {
    const decisions = await decideAll(targets, stored, { transaction, author }, { mayDelete: true })
    return refuseForbidden(transaction, author, decisions)
  }
}

async function decideAll(
  targets: Restoration[],
  { templates, hidden }: StoredTemplates,
  { transaction, author: { rule } }: { transaction: Transaction; author: Author },
  { mayDelete = false } = {}
): Promise<Decision[]> {
  const ids = targets.map(({ id }) => id).filter(id => !templates.has(id) && !hidden.has(id))
  const deleted = await findDeletions(transaction, ids)
  const decisions: Decision[] = []
  // Documents are read one by one, because they may be long.
  for (const each of targets) {
    const state = { current: templates.get(each.id), deleted: deleted.get(each.id) }
    const isAbsence = mayDelete && (await wasAbsent(transaction, each, state, rule))
    const decision = isAbsence
      ? decideAbsence(each, state)
      : await decideRestoration(transaction, each, state, rule)
    decisions.push({ ...decision, restored: each.revision })
    await yieldToEventLoop()
  }
  return decisions
}

/** The current state of a template: stored or deleted; neither if it is hidden or never existed. */
interface State {
  current: TemplateWithRevision | undefined
  deleted: { revision: number; timeModified: string } | undefined
}

async function decideRestoration(
  db: Db,
  { id, revision, expectedRevision }: Restoration,
  { current, deleted }: State,
  rule: TemplateRule | undefined
): Promise<Decision> {
  const last = current ?? deleted
  const values = await findTemplateAt(db, id, revision)
  if (!values || !last || !permits(rule, values))
    return refuse(makeProblem('NOT_FOUND', 'the template has no such revision', 'revision'))
  if ((expectedRevision ?? last.revision) !== last.revision) return conflict(current, last.revision)
  // Other programs may have stored values that the service refuses, such as a document that is nested too deeply.
  const fault = values.data === current?.data ? undefined : checkField('data', values.data, apiWords)
  if (fault) return refuse(makeProblem(fault.code, fault.message, 'revision'))
  if (current) return decideValues(current, values)
  return { kind: 'create', after: { ...values, timeModified: timestampAfter(last.timeModified) } }
}

const decideAbsence = ({ expectedRevision }: Restoration, { current }: State): Decision =>
  current && expectedRevision === current.revision ? { kind: 'delete', before: current } : conflict(current)

/** Whether there was no template: before the first revision, and after a deletion that the author may know of. */
async function wasAbsent(
  db: Db,
  { id, revision, expectedRevision }: Restoration,
  { current }: State,
  rule: TemplateRule | undefined
): Promise<boolean> {
  if (!current || expectedRevision == null) return false
  if (revision === 0) return true
  if ((await findRevision(db, id, revision))?.action !== 'DELETE') return false
  const deleted = await findTemplateAt(db, id, revision - 1)
  return deleted !== undefined && permits(rule, deleted)
}
