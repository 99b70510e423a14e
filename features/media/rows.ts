import { hash } from 'node:crypto'
import { affectsRows } from '../../db/affects-rows.ts'
import { type AuditActor, recordEvent } from '../../db/audit/record.ts'
import type { Db } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { PublicError } from '../../runtime/errors.ts'
import type { MediaAction } from './index.ts'

type MediaTables = {
  /** Originals, which users have uploaded or had fetched, and thumbnails of these and of other pictures. */
  product_media: {
    /** `ipfs://<content id>` for an upload of a user, otherwise the URL of the picture. */
    key: string
    kind: PictureKind
    /** SHA-256 of the bytes, hex. */
    hash: string
    /** The media type. */
    type: string
    size: number
    bytes: Buffer
    time_created: string
  }
}

type PictureKind = 'original' | 'thumbnail'

/** The database with the table of pictures. */
export const withMedia = (db: Db) => db.withTables<MediaTables>()

/** A stored picture. */
interface Picture {
  /** The media type. */
  type: string
  bytes: Buffer
}

/** Finds the original or thumbnail whose bytes have this SHA-256. */
export const findPictureByHash = (db: Db, hash: string): Promise<Picture | undefined> =>
  selectPictures(db).where('hash', '=', hash).limit(1).executeTakeFirst()

export const findOriginal = (db: Db, key: string): Promise<Picture | undefined> =>
  selectPictures(db).where('key', '=', key).where('kind', '=', 'original').executeTakeFirst()

const selectPictures = (db: Db) => withMedia(db).selectFrom('product_media').select(['type', 'bytes'])

/** Lists the originals in the order of their keys. */
export const listOriginals = (db: Db) =>
  withMedia(db)
    .selectFrom('product_media')
    .select(['key', 'type'])
    .where('kind', '=', 'original')
    .orderBy('key')
    .execute()

/** Finds an original or a thumbnail, without its bytes. */
export const findPicture = (db: Db, key: string, kind: PictureKind) =>
  withMedia(db)
    .selectFrom('product_media')
    .select(['hash', 'time_created'])
    .where('key', '=', key)
    .where('kind', '=', kind)
    .executeTakeFirst()

export interface NewOriginal extends Picture {
  key: string
  actor: AuditActor
}

/**
 * Stores an original, unless it is stored already, and returns its hash. Throws 507 if the originals would exceed
 * `maxSize` bytes in total. Concurrent calls may exceed it slightly.
 */
export const storeOriginal = (
  db: Db,
  { key, type, bytes, actor }: NewOriginal,
  maxSize: number
): Promise<string> =>
  transact(
    db,
    async transaction => {
      const known = await findPicture(transaction, key, 'original')
      if (known) return known.hash
      const { total } = await withMedia(transaction)
        .selectFrom('product_media')
        .select(({ fn }) => fn.sum('size').as('total'))
        .where('kind', '=', 'original')
        .executeTakeFirstOrThrow()
      if (Number(total) + bytes.length > maxSize) throw noRoom(maxSize)
      // The thumbnail shows the former picture of this URL.
      await deletePictures(transaction, key, 'thumbnail')
      const details = { type, size: bytes.length }
      const row = toRow({ key, kind: 'original', bytes, ...details })
      const insertion = withMedia(transaction)
        .insertInto('product_media')
        .values(row)
        .onConflict(conflict => conflict.doNothing())
      // Another transaction may have stored it meanwhile.
      if (await affectsRows(insertion))
        await recordEvent<MediaAction>(transaction, actor, 'media.add', { id: key }, details)
      return row.hash
    },
    { isolation: 'read committed' }
  )

const noRoom = (maxSize: number) =>
  new PublicError({
    code: 'insufficient_storage',
    statusCode: 507,
    message: `the pictures would have more than ${maxSize} bytes together`
  })

/** Deletes a picture and its thumbnail. Returns other keys with the same picture; undefined if there is none. */
export const deletePicture = (db: Db, key: string, actor: AuditActor): Promise<string[] | undefined> =>
  transact(db, async transaction => {
    const found = [
      await findPicture(transaction, key, 'original'),
      await findPicture(transaction, key, 'thumbnail')
    ]
    const hashes = found.flatMap(row => row?.hash ?? [])
    if (hashes.length === 0) return undefined
    await deletePictures(transaction, key, 'original', 'thumbnail')
    await recordEvent<MediaAction>(transaction, actor, 'media.delete', { id: key })
    const others = await withMedia(transaction)
      .selectFrom('product_media')
      .select('key')
      .distinct()
      .where('hash', 'in', hashes)
      .limit(maxDeleted)
      .execute()
    return others.map(({ key }) => key)
  })

export const deletePictures = (db: Db, key: string, ...kinds: PictureKind[]) =>
  withMedia(db).deleteFrom('product_media').where('key', '=', key).where('kind', 'in', kinds).execute()

/** Bytes that each thumbnail counts at least, because its key, in the row and in the index, may be long. */
const minCountedSize = 4096
/** Maximum number of thumbnails that one call deletes. */
const maxDeleted = 500

/**
 * Stores a thumbnail, in WebP, instead of an older one, and returns its hash. If all thumbnails together exceed
 * `maxSize` bytes, deletes the oldest ones.
 */
export async function storeThumbnail(db: Db, key: string, bytes: Buffer, maxSize: number): Promise<string> {
  const size = Math.max(bytes.length, minCountedSize)
  const row = toRow({ key, kind: 'thumbnail', type: 'image/webp', size, bytes })
  await withMedia(db)
    .insertInto('product_media')
    .values(row)
    .onConflict(conflict =>
      conflict.columns(['key', 'kind']).doUpdateSet(({ ref }) => ({
        hash: ref('excluded.hash'),
        bytes: ref('excluded.bytes'),
        size: ref('excluded.size'),
        time_created: ref('excluded.time_created')
      }))
    )
    .execute()
  const thumbnails = withMedia(db).selectFrom('product_media').where('kind', '=', 'thumbnail')
  const { total } = await thumbnails.select(({ fn }) => fn.sum('size').as('total')).executeTakeFirstOrThrow()
  let excess = Number(total) - maxSize
  if (excess <= 0) return row.hash
  const oldest = await thumbnails
    .select(['key', 'size'])
    .where('key', '!=', key)
    .orderBy('time_created')
    .limit(maxDeleted)
    .execute()
  const deleted: string[] = []
  for (const { key, size } of oldest) {
    if (excess <= 0) break
    deleted.push(key)
    excess -= size
  }
  if (deleted.length > 0)
    await withMedia(db)
      .deleteFrom('product_media')
      .where('kind', '=', 'thumbnail')
      .where('key', 'in', deleted)
      .execute()
  return row.hash
}

const toRow = <Row extends { kind: PictureKind; bytes: Buffer }>(row: Row) => ({
  ...row,
  hash: hash('sha256', row.bytes),
  time_created: timestamp()
})
