import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { whenThereIsRoom } from './hash-queue.ts'

/** Cost of a password hash, RFC 9106: `memory` in KiB, passes, lanes. */
export interface PasswordCost {
  passwordMemory: number
  passwordIterations: number
  passwordParallelism: number
}

/** The longest password, in bytes of UTF-8, as it is given and after normalisation. */
export const longestPassword = 1024

/** Hashes with argon2id; a PHC string comes back. Throws RangeError for an empty or overlong password. */
export async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const bytes = encode(password)
  if (!bytes) throw new RangeError(`a password has 1 to ${longestPassword} bytes`)
  const { passwordMemory: memoryCost, passwordIterations: timeCost, passwordParallelism: parallelism } = cost
  return whenThereIsRoom(() => hash(bytes, { memoryCost, timeCost, parallelism }))
}

/** True when the password made the hash. A damaged hash matches nothing. */
export async function verifyPassword(password: string, passwordHash: string): Promise<boolean> {
  const bytes = encode(password)
  if (!bytes) return false
  return whenThereIsRoom(() => verify(passwordHash, bytes).catch(() => false))
}

/** What verifying a hash costs; undefined where it is not argon2id as we write it. */
export function costOf(passwordHash: string): PasswordCost | undefined {
  const [, m, t, p] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(passwordHash) ?? []
  if (m === undefined) return undefined
  return { passwordMemory: Number(m), passwordIterations: Number(t), passwordParallelism: Number(p) }
}

/** A hash that no password made, to verify against when there is no user: the work stays the same. */
export function unmatchableHash(cost: PasswordCost): string {
  const part = (size: number) => randomBytes(size).toString('base64').replaceAll('=', '')
  const { passwordMemory: m, passwordIterations: t, passwordParallelism: p } = cost
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${part(16)}$${part(32)}`
}

/** The same password typed on two systems may come as different code points: NFC, RFC 8265 §4.2. */
function encode(password: string): Buffer | undefined {
  // Before normalisation, which takes time by the square of the length.
  if (Buffer.byteLength(password) > longestPassword) return undefined
  const bytes = Buffer.from(password.normalize('NFC'))
  return bytes.length === 0 || bytes.length > longestPassword ? undefined : bytes
}
