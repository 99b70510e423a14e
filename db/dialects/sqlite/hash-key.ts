import { hash } from 'node:crypto'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** The first characters of keys in their order. The position of one is bits 60 to 62 of a hash. */
const kinds = '+-BEIOS'

/** Returns the least hash of a kind of value. */
const leastHash = (kind: string): bigint => BigInt(kinds.indexOf(kind)) << 60n

/**
 * Returns the number that finds an entry. The kind of its value comes first, so that entries of a kind are adjacent;
 * 60 bits of SHA-256 follow. The number takes less room in an index than the key.
 */
export function hashKey(key: string): bigint {
  const digest = BigInt(`0x${hash('sha256', key, 'hex').slice(0, 15)}`)
  return leastHash(key[0] as string) | digest
}

/** Tests whether the value of an entry is a string. */
export const isString: RawBuilder<SqlBool> = sql`hash >= ${sql.raw(`${leastHash('S')}`)}`

/** Tests whether facets show an entry: it is neither a list nor absent. */
export const isShown: RawBuilder<SqlBool> = sql`hash >= ${sql.raw(`${leastHash('B')}`)}`
