/**
 * Passwords, which people choose, so argon2id makes each guess expensive; and secrets that the service generates, which
 * nobody can guess, so SHA-256 is enough.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { ArgumentError, overloaded } from '../errors.ts'
import { Semaphore } from '../semaphore.ts'
import { inSpan } from '../tracing/active.ts'

/**
 * Generates a client secret, refresh token, authorization code or cookie: 256 random bits, RFC 6749 §10.10, as
 * `[A-Za-z0-9_-]`, which percent-encoding does not change.
 */
export const generateSecret = (): string => randomBytes(32).toString('base64url')

/** SHA-256, hex. The database has only hashes, and nothing that could be sent. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

const noSecret = hashSecret(generateSecret())

/**
 * Whether a secret has one of the two hashes, compared in constant time. The work is the same without a hash, and
 * whichever matches.
 */
export function matchesSecret(secret: string, current?: string, previous?: string | null): boolean {
  const given = Buffer.from(hashSecret(secret), 'hex')
  const matches = [current, previous].map(stored =>
    timingSafeEqual(given, Buffer.from(stored ?? noSecret, 'hex'))
  )
  return matches.includes(true)
}

/** Cost of a password hash, RFC 9106; the memory is in KiB. */
export interface PasswordCost {
  passwordMemory: number
  passwordIterations: number
  passwordParallelism: number
}

/** Maximum length of a password in bytes of UTF-8, both as given and after normalisation. */
export const longestPassword = 1024

/** Hashes a password with argon2id; returns a PHC string. Throws ArgumentError if it is empty or too long. */
export async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const bytes = encode(password)
  if (!bytes) throw new ArgumentError(`a password must have 1 to ${longestPassword} bytes`)
  const { passwordMemory: memoryCost, passwordIterations: timeCost, passwordParallelism: parallelism } = cost
  return runQueuedHash(() => hash(bytes, { memoryCost, timeCost, parallelism }))
}

/** Whether the password matches the hash. A damaged hash matches nothing. */
export async function verifyPassword(password: string, passwordHash: string): Promise<boolean> {
  const bytes = encode(password)
  if (!bytes) return false
  return runQueuedHash(() => verify(passwordHash, bytes).catch(() => false))
}

/** Formats a cost as it is in a hash. */
export const formatCost = ({
  passwordMemory,
  passwordIterations,
  passwordParallelism
}: PasswordCost): string => `m=${passwordMemory},t=${passwordIterations},p=${passwordParallelism}`

/** Reads the cost from a hash, as `formatCost` writes it; undefined if it does not have the form of `hashPassword`. */
export const costOf = (passwordHash: string): string | undefined =>
  /^\$argon2id\$v=19\$(m=\d+,t=\d+,p=\d+)\$/.exec(passwordHash)?.[1]

/** Makes a hash that no password matches, to verify against if there is no user, so that the work is the same. */
export function unmatchableHash(cost: string): string {
  const part = (size: number) => randomBytes(size).toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$${cost}$${part(16)}$${part(32)}`
}

/** Normalises to NFC, RFC 8265 §4.2: systems may send different code points for the same password. */
function encode(password: string): Buffer | undefined {
  // Checked before normalisation, which takes quadratic time.
  if (Buffer.byteLength(password) > longestPassword) return undefined
  const bytes = Buffer.from(password.normalize('NFC'))
  return bytes.length === 0 || bytes.length > longestPassword ? undefined : bytes
}

/** Hashes waiting in the queue. */
const maxQueueLength = 32
/** Milliseconds in the queue. */
const maxWait = 2000
/** Bounds memory: each running hash takes 46 MiB by default. */
const maxConcurrentHashes = 4

/**
 * Returns how many hashes may run concurrently. Each takes a core and a thread of libuv's pool. One core stays free,
 * and half of the pool, which also reads files and resolves host names. `poolSize` is UV_THREADPOOL_SIZE.
 */
export function countConcurrentHashes(cores: number, poolSize = '4'): number {
  const threads = Number.parseInt(poolSize, 10) || 1
  return Math.max(1, Math.min(maxConcurrentHashes, cores - 1, Math.floor(threads / 2)))
}

/** Is told the seconds that each hash waited and took. */
type ObserveHash = (figure: 'hash_wait_seconds' | 'hash_duration_seconds', seconds: number) => void

interface HashQueue {
  places: Semaphore
  refused: number
  observers: Set<ObserveHash>
}

/** One queue per process: several copies of this package share its cores and threads. */
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
  return queue.places.take(undefined, { milliseconds: maxWait, error })
}

function refuse(detail: string): Error {
  queue.refused++
  return overloaded(detail, 'hash_queue')
}

function observe(figure: Parameters<ObserveHash>[0], milliseconds: number): void {
  for (const observer of queue.observers) observer(figure, milliseconds / 1000)
}

/** Observes the hashes of the whole process; returns the function that ends this. */
export function observeHashes(observer: ObserveHash): () => void {
  queue.observers.add(observer)
  return () => void queue.observers.delete(observer)
}

/** Reads the figures of the queue, which is that of the whole process. */
export const readHashFigures = () => ({
  hashes_running: queue.places.taken,
  hashes_waiting: queue.places.waiting,
  hashes_refused_total: queue.refused
})
