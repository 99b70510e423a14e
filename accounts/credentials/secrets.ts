/**
 * Hashes of passwords and secrets. People choose passwords, so argon2id makes each guess expensive. The service
 * generates secrets, which nobody can guess, so SHA-256 is enough.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import type { PasswordCost } from '../../options/access.ts'
import { overloaded } from '../../runtime/errors.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { inSpan } from '../../runtime/tracing.ts'

/**
 * Generates a client secret, refresh token, authorization code or cookie: 256 random bits, RFC 6749 §10.10, as
 * `[A-Za-z0-9_-]`, which percent-encoding does not change.
 */
export const generateSecret = (): string => randomBytes(32).toString('base64url')

/** Hashes a secret with SHA-256, in hex. The database has only hashes, which nobody can use as secrets. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

const noSecret = hashSecret(generateSecret())

/** Whether a secret has one of two hashes. The time is constant, also without hashes, and whichever of them matches. */
export function matchesSecret(secret: string, current?: string, previous?: string | null): boolean {
  const given = Buffer.from(hashSecret(secret), 'hex')
  const matches = [current, previous].map(stored =>
    timingSafeEqual(given, Buffer.from(stored ?? noSecret, 'hex'))
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
  return runQueuedHash(() => hash(bytes, { memoryCost, timeCost, parallelism }))
}

/** Whether the password matches the hash. A damaged hash matches nothing. */
export async function verifyPassword(password: string, passwordHash: string): Promise<boolean> {
  const bytes = encodePassword(password)
  if (!bytes) return false
  return runQueuedHash(() => verify(passwordHash, bytes).catch(() => false))
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
  // Checked before normalization, which takes quadratic time.
  if (Buffer.byteLength(password) > maxPasswordBytes) return undefined
  const bytes = Buffer.from(password.normalize('NFC'))
  return bytes.length === 0 || bytes.length > maxPasswordBytes ? undefined : bytes
}

/** Maximum number of hashes that wait in the queue. */
const maxQueueLength = 32
/** Maximum milliseconds that a hash waits in the queue. */
const maxWaitMs = 2000
/** Maximum number of running hashes, because each takes 46 MiB by default. */
const maxConcurrentHashes = 4

/**
 * Returns how many hashes may run concurrently. Each needs a core and a thread of libuv's pool. One core stays free,
 * and half of the pool, which also reads files and resolves host names. `poolSize` is UV_THREADPOOL_SIZE.
 */
export function countConcurrentHashes(cores: number, poolSize = '4'): number {
  const threads = Number.parseInt(poolSize, 10) || 1
  return Math.max(1, Math.min(maxConcurrentHashes, cores - 1, Math.floor(threads / 2)))
}

/** An observer gets the seconds that a hash waited or took. */
type ObserveHash = (metric: 'hash_wait_seconds' | 'hash_duration_seconds', seconds: number) => void

interface HashQueue {
  places: Semaphore
  refused: number
  observers: Set<ObserveHash>
}

/** One queue per process, because several copies of this package share the cores and threads. */
const name = Symbol.for('product-templates.hash-places')
const shared = globalThis as { [name]?: HashQueue }
shared[name] ??= {
  places: new Semaphore(countConcurrentHashes(availableParallelism(), process.env.UV_THREADPOOL_SIZE)),
  refused: 0,
  observers: new Set()
}
const queue = shared[name]

/** Runs a hash as soon as the queue allows. Rejects with `overloaded` if the queue is full or the wait too long. */
export const runQueuedHash = <T>(hash: () => Promise<T>): Promise<T> =>
  inSpan('hash', {}, async () => {
    const since = performance.now()
    const release = await takePlace()
    const begun = performance.now()
    observe('hash_wait_seconds', begun - since)
    try {
      return await hash()
    } finally {
      observe('hash_duration_seconds', performance.now() - begun)
      release()
    }
  })

async function takePlace(): Promise<() => void> {
  if (queue.places.waiting >= maxQueueLength) throw refuse('the queue of hashes is full')
  const error = () => refuse('waited too long for a hash')
  return queue.places.take(undefined, { milliseconds: maxWaitMs, error })
}

function refuse(detail: string): Error {
  queue.refused++
  return overloaded(detail, 'hash_queue')
}

function observe(metric: Parameters<ObserveHash>[0], milliseconds: number): void {
  for (const observer of queue.observers) observer(metric, milliseconds / 1000)
}

/** Observes the hashes of the whole process. Returns the function that stops this. */
export function observeHashes(observer: ObserveHash): () => void {
  queue.observers.add(observer)
  return () => void queue.observers.delete(observer)
}

/** Reads the metrics of the queue of the whole process. */
export const readHashMetrics = () => ({
  hashes_running: queue.places.taken,
  hashes_waiting: queue.places.waiting,
  hashes_refused_total: queue.refused
})
