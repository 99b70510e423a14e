import { hash } from 'node:crypto'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { kinds } from '../trait-entries.ts'

/**
 * The kinds of values in the order of their keys. The position of one is bits 60 to 62 of a hash, so a new kind needs a new
 * `indexVersion`.
 */
const ordered = Object.values(kinds).sort().join('')
const leastHashes = Array.from(ordered, (_, place) => BigInt(place) << 60n)

/** Returns the least hash of a kind of value. */
const leastHash = (kind: string): bigint => leastHashes[ordered.indexOf(kind)] as bigint

/**
 * Returns the number that finds an entry. The kind of its value comes first, so that entries of a kind are adjacent;
 * 60 bits of SHA-256 follow. The number takes less room in an index than the key.
 */
export const hashKey = (key: string): bigint =>
  leastHash(key[0] as string) | BigInt(`0x${hash('sha256', key).slice(0, 15)}`)

/** Tests whether the value of an entry is a string. */
export const isString: RawBuilder<SqlBool> = sql`hash >= ${sql.raw(`${leastHash(kinds.STRING)}`)}`

/** Tests whether facets show an entry: it is neither a list nor absent. */
export const isShown: RawBuilder<SqlBool> = sql`hash >= ${sql.raw(`${leastHash(kinds.BOOLEAN)}`)}`
