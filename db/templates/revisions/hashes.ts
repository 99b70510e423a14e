import { setImmediate, setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { IndexNotReady } from '../../dialects/faults.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import { takeTurn } from '../meter.ts'
import { hashOf } from '../table/document.ts'
import { findProductTemplates, type TemplateFields } from '../table/product-templates.ts'
import { findRevision, type PinnedTemplate } from './revisions.ts'

/** Revisions hashed per transaction; bounds the time that other writers wait. */
const batchSize = 50
/** Revisions that a reader completes itself. */
const maxAtOnce = 1000

/**
 * Computes in the background the hashes that triggers could not. Goes on where it was stopped; several processes may do
 * this at once.
 */
export async function completeRevisions(db: Db, signal?: AbortSignal): Promise<void> {
  const rest = takeRests()
  let complete = false
  while (!signal?.aborted && !complete) complete = await hashRevisions(db, batchSize, rest)
}

/** Makes a function that rests as long as the work before it took: half of the time is for requests. */
function takeRests(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    await setTimeout(performance.now() - since)
    since = performance.now()
  }
}

/** Resolves once every revision has its hash. Rejects with {@link IndexNotReady} if many lack it. Not in a snapshot. */
export async function ensureHashed(db: Db): Promise<void> {
  if (!(await hashRevisions(db, maxAtOnce)))
    throw new IndexNotReady('the hashes of revisions are being computed')
}

/**
 * Computes the hashes of the oldest revisions without one, up to a limit, with pauses. Returns whether all have theirs.
 */
export async function hashRevisions(
  db: Db,
  limit: number,
  pause: () => Promise<void> = setImmediate
): Promise<boolean> {
  for (let done = 0; done < limit; done += batchSize) {
    const revisions = await findUnhashed(db)
    if (revisions.length === 0) return true
    const hashes = await computeHashes(db, revisions)
    await pause()
    await transact(db, transaction => storeHashes(transaction, hashes))
    await pause()
  }
  return false
}

/** Computes the hashes of some revisions. What a revision contains never changes. */
async function computeHashes(db: Db, revisions: Awaited<ReturnType<typeof findUnhashed>>) {
  const ids = revisions.map(({ template_id }) => template_id)
  const current = await findProductTemplates(db, ids, contents)
  const hashes: { sequence: number; hash: string }[] = []
  for (const { sequence, template_id, number } of revisions) {
    const template = current.get(template_id)
    const short = template?.revision === number ? template.data : null
    // One by one, because documents may be long.
    const data = short ?? (await findRevision(db, template_id, number))?.data
    // Nothing archived it: only a store that is damaged or was edited by hand has such a revision.
    hashes.push({ sequence, hash: data === undefined ? '' : hashOf(data) })
    await takeTurn()
  }
  return hashes
}

const contents: TemplateFields = new Set(['data', 'revision'])

/** Stores what nobody else has stored: several processes compute the same hashes. */
async function storeHashes(db: Db, hashes: Awaited<ReturnType<typeof computeHashes>>): Promise<void> {
  for (const { sequence, hash } of hashes) {
    await sql`update product_revision set hash = ${hash}
      where sequence = ${sequence} and hash is null`.execute(prepared(db))
    await takeTurn()
  }
}

const findUnhashed = (db: Db) =>
  db
    .selectFrom('product_revision')
    .select(['sequence', 'template_id', 'number'])
    .where('hash', 'is', null)
    .where('action', '<>', 'DELETE')
    .orderBy('sequence')
    .limit(batchSize)
    .execute()

/**
 * Finds the latest revision whose `data` has this SHA-256, or one that begins so, in lower-case hex: of any template, or
 * of those in which one template was public, and that `isSeen`. Rejects with IndexNotReady while hashes are computed.
 */
export async function findRevisionByHash(
  db: Db,
  hash: string,
  {
    publicOf,
    isSeen = () => true
  }: { publicOf?: number; isSeen?: (template: PinnedTemplate) => boolean } = {}
): Promise<PinnedTemplate | undefined> {
  // A snapshot is read-only: call `ensureHashed` before it begins.
  if (!db.isTransaction) await ensureHashed(db)
  const isPublic = sql`template_id = ${publicOf} and number in (
    select number from product_template_past where template_id = ${publicOf} and public_product = 1
    union all select revision from product_template where id = ${publicOf} and public_product = 1)`
  // `g` comes after all digits. An index finds the last revision of a whole hash at once.
  const has = hash.length === 64 ? sql`hash = ${hash}` : sql`hash >= ${hash} and hash < ${`${hash}g`}`
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const { rows } = await sql<{ sequence: number; id: number; number: number }>`
      select sequence, template_id as id, number from product_revision where sequence = (
        select max(sequence) from product_revision where ${has} and sequence < ${before}
        ${publicOf === undefined ? sql`` : sql`and ${isPublic}`}
      )`.execute(db)
    const found = rows[0] && (await findRevision(db, rows[0].id, rows[0].number))
    if (!rows[0] || (found && isSeen(found))) return found
    before = rows[0].sequence
  }
}
