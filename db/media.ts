import { hash } from 'node:crypto'
import type { Db } from './schema.ts'
import { timestamp } from './timestamp.ts'

/** A picture: one that was uploaded, or the small version of one. */
export interface Medium {
  /** SHA-256 of the bytes, hex. */
  hash: string
  /** The media type. */
  type: string
  bytes: Buffer
}

/** Where a picture comes from: `ipfs://<content id>`, as it is for each upload, or the URL of another one. */
type Source = string

export const findMedium = (db: Db, hash: string): Promise<Medium | undefined> =>
  selectMedia(db).where('hash', '=', hash).limit(1).executeTakeFirst()

export const findUpload = (db: Db, source: Source): Promise<Medium | undefined> =>
  selectMedia(db).where('source', '=', source).where('small', '=', 0).executeTakeFirst()

const selectMedia = (db: Db) => db.selectFrom('product_media').select(['hash', 'type', 'bytes'])

/** Lists the uploads in the order of their sources. */
export const listUploads = (db: Db) =>
  db.selectFrom('product_media').select(['source', 'type']).where('small', '=', 0).orderBy('source').execute()

/** Finds the hash of an upload, or of a small version. */
export async function findHash(
  db: Db,
  source: Source,
  kind: 'upload' | 'small'
): Promise<string | undefined> {
  const { hash } =
    (await db
      .selectFrom('product_media')
      .select('hash')
      .where('source', '=', source)
      .where('small', '=', kind === 'small' ? 1 : 0)
      .executeTakeFirst()) ?? {}
  return hash
}

/** Keeps an upload; returns its hash. */
export const keepUpload = (db: Db, source: Source, type: string, bytes: Buffer): Promise<string> =>
  keep(db, { source, small: 0, type, size: bytes.length, bytes })

/** Bytes that a small version counts at least: its row and its index may have a long source. */
const smallestSize = 4096
/** Small versions that are deleted at a time. */
const maxDeleted = 500

/** Keeps a small version, in WebP. Deletes the oldest ones if all have more than `maxSize` bytes. Returns its hash. */
export async function keepSmall(db: Db, source: Source, bytes: Buffer, maxSize: number): Promise<string> {
  const size = Math.max(bytes.length, smallestSize)
  const hash = await keep(db, { source, small: 1, type: 'image/webp', size, bytes })
  const small = db.selectFrom('product_media').where('small', '=', 1)
  const { total } = await small.select(({ fn }) => fn.sum('size').as('total')).executeTakeFirstOrThrow()
  let excess = Number(total) - maxSize
  if (excess <= 0) return hash
  const oldest = await small
    .select(['source', 'size'])
    .where('source', '!=', source)
    .orderBy('time_created')
    .limit(maxDeleted)
    .execute()
  const sources: Source[] = []
  for (const { source, size } of oldest) {
    if (excess <= 0) break
    sources.push(source)
    excess -= size
  }
  if (sources.length > 0)
    await db.deleteFrom('product_media').where('small', '=', 1).where('source', 'in', sources).execute()
  return hash
}

async function keep(
  db: Db,
  { bytes, ...row }: { source: Source; small: 0 | 1; type: string; size: number; bytes: Buffer }
): Promise<string> {
  const values = { ...row, hash: hash('sha256', bytes), bytes, time_created: timestamp() }
  await db
    .insertInto('product_media')
    .values(values)
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return values.hash
}
