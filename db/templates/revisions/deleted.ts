import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import type { TemplateWithRevision } from '../product-templates.ts'
import { findTemplateAt } from './revisions.ts'

/** The deletion of a template. */
interface Deletion {
  id: number
  /** Number of the revision that deleted the template. */
  revision: number
  /** When the template was last modified. */
  timeModified: string
}

/** Finds the deletions of templates that are not stored. An id that was never used has none. */
export async function findDeletions(db: Db, ids: number[]): Promise<Map<number, Deletion>> {
  if (ids.length === 0) return new Map()
  const { isOneOf } = engineOf(db).syntax
  const { rows } = await sql<Deletion>`
    select template_id as id, max(time_modified) as "timeModified", (
      select max(number) from product_revision where product_revision.template_id = past.template_id
    ) as revision
    from product_template_past as past where ${isOneOf(sql.ref('past.template_id'), ids)} group by template_id`.execute(
    db
  )
  return new Map(rows.map(row => [row.id, row]))
}

/** Finds the contents of a template when it was deleted. They decide who may use its id again. */
export const findLastContents = (
  db: Db,
  { id, revision }: Deletion
): Promise<TemplateWithRevision | undefined> => findTemplateAt(db, id, revision - 1)
