import { hash } from 'node:crypto'
import { type AuditActor, recordEvent } from '../../db/audit/record.ts'
import type { Db } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { PublicError } from '../../runtime/errors.ts'
import type { MediaAction } from './index.ts'

type MediaTables = {
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
export const withMedia = (db: Db) => db.withTables<MediaTables>()

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

/** Finds an upload or a small version, without its bytes. */
export const findRow = (db: Db, source: Source, kind: 'upload' | 'small') =>
  withMedia(db)
    .selectFrom('product_media')
    .select(['hash', 'time_created'])
    .where('source', '=', source)
    .where('small', '=', kind === 'small' ? 1 : 0)
    .executeTakeFirst()

export interface Upload extends Medium {
  source: Source
  actor: AuditActor
}

/**
 * Stores an upload, unless it is there, and returns its hash. Throws 507 if all uploads would have more than `maxSize`
 * bytes, or hardly more if several come at once.
 */
export const storeUpload = (
  db: Db,
  { source, type, bytes, actor }: Upload,
  maxSize: number
): Promise<string> =>
  transact(
    db,
    async transaction => {
      const known = await findRow(transaction, source, 'upload')
      if (known) return known.hash
      const { total } = await withMedia(transaction)
        .selectFrom('product_media')
        .select(({ fn }) => fn.sum('size').as('total'))
        .where('small', '=', 0)
        .executeTakeFirstOrThrow()
      if (Number(total) + bytes.length > maxSize) throw noRoom(maxSize)
      // The small version shows the former picture of this address.
      await deleteRows(transaction, source, 1)
      const hash = await keep(transaction, { source, small: 0, type, size: bytes.length, bytes })
      const details = { type, size: bytes.length }
      await recordEvent<MediaAction>(transaction, actor, 'media.add', { id: source }, details)
      return hash
    },
    'read committed'
  )

const noRoom = (maxSize: number) =>
  new PublicError({
    code: 'insufficient_storage',
    statusCode: 507,
    message: `the pictures would have more than ${maxSize} bytes together`
  })

/**
 * Removes a picture and its small version. Returns the other sources that have the same picture; undefined if there is none to
 * remove.
 */
export const removePicture = (db: Db, source: Source, actor: AuditActor): Promise<Source[] | undefined> =>
  transact(db, async transaction => {
    const found = [await findRow(transaction, source, 'upload'), await findRow(transaction, source, 'small')]
    const hashes = found.flatMap(row => row?.hash ?? [])
    if (hashes.length === 0) return undefined
    await deleteRows(transaction, source, 0, 1)
    await recordEvent<MediaAction>(transaction, actor, 'media.remove', { id: source })
    const others = await withMedia(transaction)
      .selectFrom('product_media')
      .select('source')
      .distinct()
      .where('hash', 'in', hashes)
      .limit(maxDeleted)
      .execute()
    return others.map(({ source }) => source)
  })

export const deleteRows = (db: Db, source: Source, ...small: (0 | 1)[]) =>
  withMedia(db).deleteFrom('product_media').where('source', '=', source).where('small', 'in', small).execute()

/** Bytes that each small version counts at least, because its source, in the row and in the index, may be long. */
const leastSize = 4096
/** Small versions that one call deletes at most. */
const maxDeleted = 500

/** Stores a small version, in WebP, instead of an older one, and returns its hash. If all together exceed `maxSize` bytes, deletes the oldest ones. */
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
    .onConflict(conflict =>
      values.small === 1
        ? conflict.columns(['source', 'small']).doUpdateSet(({ ref }) => ({
            hash: ref('excluded.hash'),
            bytes: ref('excluded.bytes'),
            size: ref('excluded.size'),
            time_created: ref('excluded.time_created')
          }))
        : conflict.doNothing()
    )
    .execute()
  return values.hash
}
