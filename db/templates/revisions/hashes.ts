import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { hashData } from '../../../domain/document.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import { NotReady } from '../../dialects/faults.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import { findPartialTemplates, type TemplateFields, type TemplateWithRevision } from '../product-templates.ts'
import { findTemplateAt } from './revisions.ts'

/** Revisions per transaction. This bounds the time that other writers wait. */
const batchSize = 50
/** Revisions that an operation hashes itself. */
const maxAtOnce = 1000

/**
 * Computes the hashes that triggers could not compute, in the background. The next call continues where this one
 * stopped. Several processes may do this at once.
 */
export async function completeRevisions(db: Db, signal?: AbortSignal): Promise<void> {
  const pause = makePause()
  let complete = false
  while (!signal?.aborted && !complete) complete = await hashRevisions(db, batchSize, pause)
}

/** Makes a function that pauses as long as the work before it took, so that half of the time is for requests. */
function makePause(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    await setTimeout(performance.now() - since)
    since = performance.now()
  }
}

/** Resolves when every revision has its hash. Rejects with {@link NotReady} if many lack it. It writes. */
export async function ensureHashed(db: Db): Promise<void> {
  if (!(await hashRevisions(db, maxAtOnce))) throw new NotReady('the hashes of revisions are being computed')
}

/** Computes at most `limit` missing hashes, oldest revisions first. Returns whether no hash is missing now. */
export async function hashRevisions(db: Db, limit: number, pause = yieldToEventLoop): Promise<boolean> {
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

/** Computes the hashes of some revisions. No transaction is needed, because the contents of a revision never change. */
async function computeHashes(db: Db, revisions: Awaited<ReturnType<typeof findUnhashed>>) {
  const ids = revisions.map(({ template_id }) => template_id)
  const current = await findPartialTemplates(db, ids, contents)
  const hashes: { sequence: number; hash: string }[] = []
  for (const { sequence, template_id, number } of revisions) {
    const template = current.get(template_id)
    const short = template?.revision === number ? template.data : null
    // Documents are read one by one, because they may be long.
    const data = short ?? (await findTemplateAt(db, template_id, number))?.data
    // Only a store that is damaged or was edited by hand has a revision without contents.
    hashes.push({ sequence, hash: data === undefined ? '' : hashData(data) })
    await yieldToEventLoop()
  }
  return hashes
}

const contents: TemplateFields = new Set(['data', 'revision'])

/** Stores hashes that no other process has stored: several processes may compute the same ones. */
async function storeHashes(db: Db, hashes: Awaited<ReturnType<typeof computeHashes>>): Promise<void> {
  for (const { sequence, hash } of hashes) {
    await sql`update product_revision set hash = ${hash}
      where sequence = ${sequence} and hash is null`.execute(prepared(db))
    await yieldToEventLoop()
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
 * Finds the template at the latest revision whose `data` has a SHA-256 that begins with `hash`, in lower-case hex, and
 * that `isVisible` accepts. With `publicOf`, only revisions count in which this template was public. Rejects with
 * NotReady while hashes are computed.
 */
export async function findTemplateByHash(
  db: Db,
  hash: string,
  {
    publicOf,
    isVisible = () => true
  }: { publicOf?: number; isVisible?: (template: TemplateWithRevision) => boolean } = {}
): Promise<TemplateWithRevision | undefined> {
  // A snapshot is read-only: call `ensureHashed` before it begins.
  if (!db.isTransaction) await ensureHashed(db)
  const isPublic = sql`template_id = ${publicOf} and number in (
    select number from product_template_past where template_id = ${publicOf} and public_product = 1
    union all select revision from product_template where id = ${publicOf} and public_product = 1)`
  // `g` sorts after all digits. For a whole hash, an index finds the last revision at once.
  const has = hash.length === 64 ? sql`hash = ${hash}` : sql`hash >= ${hash} and hash < ${`${hash}g`}`
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const { rows } = await sql<{ sequence: number; id: number; number: number }>`
      select sequence, template_id as id, number from product_revision where sequence = (
        select max(sequence) from product_revision where ${has} and sequence < ${before}
        ${publicOf === undefined ? sql`` : sql`and ${isPublic}`}
      )`.execute(db)
    const template = rows[0] && (await findTemplateAt(db, rows[0].id, rows[0].number))
    if (!rows[0] || (template && isVisible(template))) return template
    before = rows[0].sequence
  }
}
