import { secondsAgo, timestamp } from '../../../domain/timestamp.ts'
import { makeProblem } from '../../../domain/validation/problem.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, Transaction } from '../../schema.ts'
import type { TemplateWithRevision } from '../product-templates.ts'
import { findTemplateAt, type RevisionKey } from '../revisions/revisions.ts'

/** A request that has the same effect if it is sent again. */
export interface IdempotentRequest {
  /** A hash of the header Idempotency-Key, the client, the subject and the field. */
  key: string
  /** A hash of the arguments. */
  request: string
}

/** Seconds for which results are stored. */
const resultLifetime = 86_400

export const keyReused = makeProblem(
  'IDEMPOTENCY_KEY_REUSED',
  'the Idempotency-Key was used for another request'
)

/** The result of a job. If there are problems, it has done nothing, and the request may be sent again. */
interface JobResult {
  /** The template, or the list of templates. */
  product?: TemplateWithRevision | null
  products?: TemplateWithRevision[]
  problems: object[]
}

/**
 * Runs a job in the transaction, or returns the stored result if the same request was sent before. Returns `refused` if
 * the key was used for another request.
 */
export async function runIdempotently<R extends JobResult>(
  transaction: Transaction,
  once: IdempotentRequest | undefined,
  refused: R,
  job: () => Promise<R>
): Promise<R> {
  if (!once) return job()
  await prepared(transaction)
    .deleteFrom('product_idempotency')
    .where('key', '=', once.key)
    .where('time_created', '<', secondsAgo(resultLifetime))
    .execute()
  const earlier = await findResult(transaction, once, refused)
  if (earlier) return earlier
  const result = await job()
  // If the same request was sent twice at once, the other one may be the reason for the problems.
  if (result.problems.length > 0) return (await findResult(transaction, once, refused)) ?? result
  // Revisions never change, so their keys are stored instead of the templates.
  const { product, products } = result
  const stored = { ...result, product: product && toKey(product), products: products?.map(toKey) }
  await prepared(transaction)
    .insertInto('product_idempotency')
    .values({ ...once, result: JSON.stringify(stored), time_created: timestamp() })
    .execute()
  return result
}

const toKey = ({ id, revision }: TemplateWithRevision): RevisionKey => ({ id, revision })

/** Finds the stored result of the same request; `refused` if it was another one. */
async function findResult<R extends JobResult>(
  db: Db,
  { key, request }: IdempotentRequest,
  refused: R
): Promise<R | undefined> {
  const row = await prepared(db)
    .selectFrom('product_idempotency')
    .selectAll()
    .where('key', '=', key)
    .executeTakeFirst()
  if (!row) return undefined
  if (row.request !== request) return refused
  const stored: { product?: RevisionKey; products?: RevisionKey[] } = JSON.parse(row.result)
  const templates: TemplateWithRevision[] = []
  for (const { id, revision } of stored.products ?? [stored.product].flatMap(key => key ?? [])) {
    const template = await findTemplateAt(db, id, revision)
    if (template) templates.push(template)
    await yieldToEventLoop()
  }
  return {
    ...stored,
    ...(stored.products ? { products: templates } : { product: templates[0] ?? null })
  } as R
}

/** Deletes the results that are older than a day. */
export async function deleteExpiredResults(db: Db): Promise<void> {
  await db.deleteFrom('product_idempotency').where('time_created', '<', secondsAgo(resultLifetime)).execute()
}
