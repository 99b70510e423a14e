import { sql } from 'kysely'
import { takeTurn } from '../../../event-loop.ts'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { timestampAfter } from '../../timestamp.ts'
import { findRevision } from '../revisions/revisions.ts'
import { permits, type TemplateRule } from '../rule.ts'
import type { PinnedTemplate } from '../table/product-templates.ts'
import { makeProblem } from '../validation/problem.ts'
import { conflict, type Decision, decideValues, type Wanted, type Write } from './decisions.ts'

/**
 * A template, which may be deleted, and the revision whose fields it gets. The expected revision of a deleted template is its
 * deletion.
 */
export interface Restoration extends Wanted {
  revision: number
}

/** Gives templates the fields of their revisions, as new revisions. */
export const restoration: Write<Restoration> = {
  action: 'RESTORE',
  async decide(wanted, { templates, hidden }, { transaction, author: { rule } }) {
    const ids = wanted.map(({ id }) => id).filter(id => !templates.has(id) && !hidden.has(id))
    const deleted = await findDeleted(transaction, ids)
    const decisions: Decision[] = []
    // One by one, because documents may be long.
    for (const each of wanted) {
      const state = { current: templates.get(each.id), deleted: deleted.get(each.id) }
      decisions.push(await decideRestoration(transaction, each, state, rule))
      await takeTurn()
    }
    return decisions
  }
}

/** The current state of a template: stored or deleted; neither if it is hidden or never existed. */
interface State {
  current: PinnedTemplate | undefined
  deleted: { revision: number; timeModified: string } | undefined
}

async function decideRestoration(
  db: Db,
  { id, revision, expectedRevision }: Restoration,
  { current, deleted }: State,
  rule: TemplateRule | undefined
): Promise<Decision> {
  const last = current ?? deleted
  const values = await findRevision(db, id, revision)
  // The rule must permit what a deleted template had before its deletion. One that is stored is not hidden.
  const former = rule && deleted ? await findRevision(db, id, deleted.revision - 1) : values
  const isSeen = [values, former].every(contents => contents && permits(rule, contents))
  if (!values || !last || !isSeen)
    return { problems: [makeProblem('NOT_FOUND', 'the template has no such revision', 'revision')] }
  if ((expectedRevision ?? last.revision) !== last.revision) return conflict(current, last.revision)
  if (current) return decideValues(current, values)
  return { after: { ...values, timeModified: timestampAfter(last.timeModified) } }
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
