import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Db } from '../../db/schema.ts'
import { timestamp } from '../../domain/timestamp.ts'

interface MediaTables {
  /** Uploaded pictures, and small versions of uploaded and other pictures. */
  product_media: {
    /** `ipfs://<content id>`, or a URL. */
    source: string
    /** 0: an upload, or a picture that was fetched to be kept; 1: a small version. */
    small: 0 | 1
    /** SHA-256 of the bytes, hex. */
    hash: string
    /** The media type. */
    type: string
    size: number
    bytes: Buffer
    time_created: string
  }
}

/** The database with the table of pictures. */
export const withMedia = (db: Db) => db as unknown as Kysely<MediaTables>

/** A stored picture: an upload, or the small version of a picture. */
interface Medium {
  /** The media type. */
  type: string
  bytes: Buffer
}

/** Where a picture comes from: `ipfs://<content id>` for an upload of a user, otherwise its URL. */
type Source = string

export const findMedium = (db: Db, hash: string): Promise<Medium | undefined> =>
  selectMedia(db).where('hash', '=', hash).limit(1).executeTakeFirst()

export const findUpload = (db: Db, source: Source): Promise<Medium | undefined> =>
  selectMedia(db).where('source', '=', source).where('small', '=', 0).executeTakeFirst()

const selectMedia = (db: Db) => withMedia(db).selectFrom('product_media').select(['type', 'bytes'])

/** Lists the uploads in the order of their sources. */
export const listUploads = (db: Db) =>
  withMedia(db)
    .selectFrom('product_media')
    .select(['source', 'type'])
    .where('small', '=', 0)
    .orderBy('source')
    .execute()

/** Finds the hash of an upload or a small version. */
export async function findHash(db: Db, source: Source, kind: 'upload' | 'small') {
  const found = await withMedia(db)
    .selectFrom('product_media')
    .select('hash')
    .where('source', '=', source)
    .where('small', '=', kind === 'small' ? 1 : 0)
    .executeTakeFirst()
  return found?.hash
}

/** Stores an upload and returns its hash. */
export const storeUpload = (db: Db, source: Source, type: string, bytes: Buffer): Promise<string> =>
  keep(db, { source, small: 0, type, size: bytes.length, bytes })

/** Bytes that each small version counts at least, because its source, in the row and in the index, may be long. */
const leastSize = 4096
/** Small versions that one call deletes at most. */
const maxDeleted = 500

/** Stores a small version, in WebP, and returns its hash. If all together exceed `maxSize` bytes, deletes the oldest ones. */
export async function storeThumbnail(
  db: Db,
  source: Source,
  bytes: Buffer,
  maxSize: number
): Promise<string> {
  const size = Math.max(bytes.length, leastSize)
  const hash = await keep(db, { source, small: 1, type: 'image/webp', size, bytes })
  const small = withMedia(db).selectFrom('product_media').where('small', '=', 1)
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
    await withMedia(db)
      .deleteFrom('product_media')
      .where('small', '=', 1)
      .where('source', 'in', sources)
      .execute()
  return hash
}

async function keep(
  db: Db,
  { bytes, ...row }: { source: Source; small: 0 | 1; type: string; size: number; bytes: Buffer }
): Promise<string> {
  const values = { ...row, hash: hash('sha256', bytes), bytes, time_created: timestamp() }
  await withMedia(db)
    .insertInto('product_media')
    .values(values)
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return values.hash
}
