/**
 * Hashes of passwords and secrets. People choose passwords, so argon2id makes each guess expensive. The service
 * generates secrets, which nobody can guess, so SHA-256 is enough.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as argon2 from '@node-rs/argon2'
import type { PasswordCost } from '../../options/service.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import { runQueuedHash } from './hash-queue.ts'

/**
 * Generates a client secret, refresh token, authorization code or cookie: 256 random bits, RFC 6749 §10.10, as
 * `[A-Za-z0-9_-]`, which percent-encoding does not change.
 */
export const generateSecret = (): string => randomBytes(32).toString('base64url')

/** Hashes a secret with SHA-256, in hex. The database has only hashes, which nobody can use as secrets. */
export const hashSecret = (secret: string): string => hash('sha256', secret)

const noSecret = hashSecret(generateSecret())

/** Whether a secret has one of two hashes. The time is constant, also without hashes, and whichever of them matches. */
export function matchesSecret(secret: string, current?: string, previous?: string | null): boolean {
  const digest = Buffer.from(hashSecret(secret), 'hex')
  const matches = [current, previous].map(stored =>
    timingSafeEqual(digest, Buffer.from(stored ?? noSecret, 'hex'))
  )
  return matches.includes(true)
}

/** Iterations and threads of argon2id, RFC 9106 §3.1. With this much memory, OWASP recommends one of each. */
const [timeCost, parallelism] = [1, 1]

/** Maximum bytes of a password in UTF-8, before and after normalization. */
export const maxPasswordBytes = 1024

/** Whether the length of a password is allowed. */
export const isPossiblePassword = (password: string): boolean => encodePassword(password) !== undefined

/** Hashes a password with argon2id, and returns a PHC string. Throws ArgumentError if it is empty or too long. */
export async function hashPassword(
  password: string,
  { passwordMemory: memoryCost }: PasswordCost
): Promise<string> {
  const bytes = encodePassword(password)
  if (!bytes) throw new ArgumentError(`a password must have 1 to ${maxPasswordBytes} bytes`)
  return runQueuedHash(() => argon2.hash(bytes, { memoryCost, timeCost, parallelism }))
}

/** Whether the password matches the hash. A damaged hash matches nothing. */
export async function verifyPassword(password: string, passwordHash: string): Promise<boolean> {
  const bytes = encodePassword(password)
  if (!bytes) return false
  return runQueuedHash(() => argon2.verify(passwordHash, bytes).catch(() => false))
}

/** Formats a cost like in a hash. */
export const formatCost = ({ passwordMemory }: PasswordCost): string =>
  `m=${passwordMemory},t=${timeCost},p=${parallelism}`

/** Reads the cost from a hash, in the form of `formatCost`; undefined if `hashPassword` did not make the hash. */
export const readHashCost = (passwordHash: string): string | undefined =>
  /^\$argon2id\$v=19\$(m=\d+,t=\d+,p=\d+)\$/.exec(passwordHash)?.[1]

/** Makes a hash that no password matches. Verifying against it takes as long as for a real user. */
export function makeUnmatchableHash(cost: string): string {
  const part = (size: number) => randomBytes(size).toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$${cost}$${part(16)}$${part(32)}`
}

/** Normalizes to NFC, RFC 8265 §4.2, because systems may send different code points for the same password. */
function encodePassword(password: string): Buffer | undefined {
  // The length is checked before normalization, which takes quadratic time.
  if (Buffer.byteLength(password) > maxPasswordBytes) return undefined
  const bytes = Buffer.from(password.normalize('NFC'))
  return bytes.length === 0 || bytes.length > maxPasswordBytes ? undefined : bytes
}
