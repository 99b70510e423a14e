import { hash } from 'node:crypto'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** The first characters of keys in their order. The position of one is bits 60 to 62 of a hash. */
const kinds = '+-BEIOS'

/** Returns the least hash of a kind of value. */
const leastHash = (kind: string): bigint => leastHashes[kinds.indexOf(kind)] as bigint
const leastHashes = Array.from(kinds, (_, place) => BigInt(place) << 60n)

/** The first bytes of a digest, whose 60 bits are read as a number. */
const digestStart = new DataView(new ArrayBuffer(8))

/**
 * Returns the number that finds an entry. The kind of its value comes first, so that entries of a kind are adjacent;
 * 60 bits of SHA-256 follow. The number takes less room in an index than the key.
 */
export function hashKey(key: string): bigint {
  // Node returns a digest fastest as a text, one character per byte.
  const digest = hash('sha256', key, 'latin1')
  for (let at = 0; at < 8; at++) digestStart.setUint8(at, digest.charCodeAt(at))
  return leastHash(key[0] as string) | (digestStart.getBigUint64(0) >> 4n)
}

/** Tests whether the value of an entry is a string. */
export const isString: RawBuilder<SqlBool> = sql`hash >= ${sql.raw(`${leastHash('S')}`)}`

/** Tests whether facets show an entry: it is neither a list nor absent. */
export const isShown: RawBuilder<SqlBool> = sql`hash >= ${sql.raw(`${leastHash('B')}`)}`
