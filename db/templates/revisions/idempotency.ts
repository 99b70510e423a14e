import { prepared } from '../../dialects/prepared.ts'
import type { Db } from '../../schema.ts'
import { secondsAgo } from '../../timestamp.ts'

/** A request that has the same effect if it is sent again. Both are hashes. */
export interface IdempotentRequest {
  /** The header Idempotency-Key, with the client, the subject and the field. */
  key: string
  /** The arguments. */
  request: string
}

/** Seconds for which results are kept. */
const lifetime = 86_400

/** How the result of a job is kept as JSON. */
export interface KeptResult<Result, Kept> {
  /** undefined: nothing was written, so that the request may be sent again. */
  keep: (result: Result) => Kept | undefined
  repeat: (kept: Kept) => Promise<Result>
  /** The result if the key was used for another request. */
  reused: () => Result
}

/** Runs a job, or returns what it did the last time. `db` is the transaction of the job. */
export async function runOnce<Result, Kept>(
  db: Db,
  once: IdempotentRequest | undefined,
  { keep, repeat, reused }: KeptResult<Result, Kept>,
  job: () => Promise<Result>
): Promise<Result> {
  if (!once) return job()
  await prepared(db)
    .deleteFrom('product_idempotency')
    .where('key', '=', once.key)
    .where('time_created', '<', secondsAgo(lifetime))
    .execute()
  const findResult = async (): Promise<Result | undefined> => {
    const known = await prepared(db)
      .selectFrom('product_idempotency')
      .selectAll()
      .where('key', '=', once.key)
      .executeTakeFirst()
    if (!known) return undefined
    return known.request === once.request ? repeat(JSON.parse(known.result) as Kept) : reused()
  }
  const known = await findResult()
  if (known) return known
  const result = await job()
  const kept = keep(result)
  // The same request, sent twice at once, may have been what refuses this one.
  if (kept === undefined) return (await findResult()) ?? result
  await prepared(db)
    .insertInto('product_idempotency')
    .values({ ...once, result: JSON.stringify(kept), time_created: secondsAgo(0) })
    .execute()
  return result
}

/** Deletes the results that are older than a day. */
export async function deleteExpiredResults(db: Db): Promise<void> {
  await db.deleteFrom('product_idempotency').where('time_created', '<', secondsAgo(lifetime)).execute()
}
