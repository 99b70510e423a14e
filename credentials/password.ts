import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { runQueuedHash } from './hash-queue.ts'
import type { PasswordCost } from './password-cost.ts'

/** Maximum length of a password in bytes of UTF-8, both as given and after normalisation. */
export const longestPassword = 1024

/** Hashes a password with argon2id; returns a PHC string. Throws RangeError if it is empty or too long. */
export async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const bytes = encode(password)
  if (!bytes) throw new RangeError(`a password must have 1 to ${longestPassword} bytes`)
  const { passwordMemory: memoryCost, passwordIterations: timeCost, passwordParallelism: parallelism } = cost
  return runQueuedHash(() => hash(bytes, { memoryCost, timeCost, parallelism }))
}

/** Whether the password matches the hash. A damaged hash matches nothing. */
export async function verifyPassword(password: string, passwordHash: string): Promise<boolean> {
  const bytes = encode(password)
  if (!bytes) return false
  return runQueuedHash(() => verify(passwordHash, bytes).catch(() => false))
}

/** Reads the cost from a hash; undefined if it does not have the form of `hashPassword`. */
export function costOf(passwordHash: string): PasswordCost | undefined {
  const [, m, t, p] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(passwordHash) ?? []
  if (m === undefined) return undefined
  return { passwordMemory: Number(m), passwordIterations: Number(t), passwordParallelism: Number(p) }
}

/** Makes a hash that no password matches, to verify against if there is no user, so that the work is the same. */
export function unmatchableHash(cost: PasswordCost): string {
  const part = (size: number) => randomBytes(size).toString('base64').replaceAll('=', '')
  const { passwordMemory: m, passwordIterations: t, passwordParallelism: p } = cost
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${part(16)}$${part(32)}`
}

/** Normalises to NFC, RFC 8265 §4.2: systems may send different code points for the same password. */
function encode(password: string): Buffer | undefined {
  // Checked before normalisation, which takes quadratic time.
  if (Buffer.byteLength(password) > longestPassword) return undefined
  const bytes = Buffer.from(password.normalize('NFC'))
  return bytes.length === 0 || bytes.length > longestPassword ? undefined : bytes
}
