import type { Db } from '../../schema.ts'
import { ensureHashed } from './hashes.ts'
import { findRevision, type PinnedTemplate } from './revisions.ts'

/**
 * Finds the latest revision whose `data` has this SHA-256, hex: of any template, or of those in which one template was
 * public. Rejects with IndexNotReady while hashes are computed.
 */
export async function findRevisionByHash(
  db: Db,
  hash: string,
  publicOf?: number
): Promise<PinnedTemplate | undefined> {
  await ensureHashed(db)
  const found = await db
    .selectFrom('product_revision')
    .select(['template_id', 'number'])
    .where('hash', '=', hash)
    .$if(publicOf !== undefined, query =>
      query
        .where('template_id', '=', publicOf as number)
        .where('number', 'in', publicRevisions(db, publicOf as number))
    )
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found && findRevision(db, found.template_id, found.number)
}

/** The numbers of the revisions in which a template was public. */
const publicRevisions = (db: Db, id: number) =>
  db
    .selectFrom('product_template_past')
    .select('number')
    .where('template_id', '=', id)
    .where('public_product', '=', 1)
    .unionAll(
      db
        .selectFrom('product_template')
        .select('revision as number')
        .where('id', '=', id)
        .where('public_product', '=', 1)
        .$narrowType<{ number: number }>()
    )
