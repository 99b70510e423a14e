import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { overloaded, tooManyForToken } from '../../runtime/errors.ts'

/** Seconds over which the cost of a token is averaged: the capacity of its bucket at the full rate. */
const bucketSeconds = 10
/** Operations of one token that wait. */
const maxWaiting = 1000
/** Bytes of the requests that wait, of one token and of all tokens. */
const maxWaitingSize = 2 ** 26
const maxWaitingSizeOfAll = 2 ** 28
/** Tokens that are remembered. */
const maxTokens = 10_000
/** Operations that start in one turn of the event loop. Started together, each takes a quarter less time. */
const maxStarts = 4

/** The slot that an operation holds while it runs: its token has only a few. */
export interface QueueSlot {
  /** A time of performance.now(). */
  readonly begun: number
  /** Call this with the actual cost when the operation ends. */
  release(cost: number): void
}

/** The operations of a token and the level of its bucket. */
class TokenState {
  running = 0
  /** A function that starts each waiting operation, the oldest first. */
  readonly waiting = new Set<() => void>()
  waitingSize = 0
  /** The cost that was in the bucket at `leakedAt`, a time of performance.now(). */
  level = 0
  leakedAt = 0
}

/**
 * Starts a few operations per turn of the event loop, so that probes and cached responses go in between. Tokens
 * alternate, so a token with many operations does not hold up the others. Each token has limits on cost and on
 * concurrent operations.
 */
export class OperationQueue {
  readonly #concurrency: number
  readonly #costRate: number
  readonly #tokens = new LRUCache<string, TokenState>({ max: maxTokens })
  /** Tokens with an operation that may start, the next one first. */
  readonly #ready = new Set<TokenState>()
  #isStarting = false
  /** Operations that may still start in this turn. */
  #startsLeft = maxStarts
  #running = 0
  #waiting = 0
  #waitingSize = 0

  /** Limits the running operations of a token, and its cost per second over ten seconds; 0 for no limit. */
  constructor(concurrency: number, costRate: number) {
    this.#concurrency = concurrency
    this.#costRate = costRate
  }

  /** Whether the token has as many operations as may run at the same time. */
  isAtLimit(token: string): boolean {
    const state = this.#tokens.peek(token)
    return state !== undefined && state.running + state.waiting.size >= this.#concurrency
  }

  /**
   * Waits until an operation may start. `size` is the size of its request in bytes.
   * - Rejects with 429 if the token has spent too much, or if too many of its operations wait.
   * - Rejects with 503 if too many operations of all tokens wait.
   * - Rejects with the reason of the signal if the signal aborts.
   */
  takeSlot(token: string, size: number, signal: () => AbortSignal): QueueSlot | Promise<QueueSlot> {
    const state = this.#tokens.get(token) ?? new TokenState()
    this.#tokens.set(token, state)
    this.#checkCost(state)
    this.#checkWaiting(state, size)
    if (this.#startsLeft > 0 && this.#ready.size === 0 && state.running < this.#concurrency) {
      this.#countStart()
      return this.#openSlot(state)
    }
    return this.#wait(state, size, signal())
  }

  #openSlot(state: TokenState): QueueSlot {
    state.running++
    this.#running++
    return {
      begun: performance.now(),
      release: cost => {
        this.#running--
        state.running--
        // The bucket leaks before this cost is added, because the cost was not in it yet.
        this.#leak(state)
        state.level += cost
        this.#schedule(state)
      }
    }
  }

  /** Reads how many operations run and wait. */
  readMetricValues() {
    return { graphql_operations_running: this.#running, graphql_operations_waiting: this.#waiting }
  }

  /** Lowers the level of a bucket by what has leaked since the last time. */
  #leak(state: TokenState): void {
    const now = performance.now()
    state.level = Math.max(0, state.level - ((now - state.leakedAt) / 1000) * this.#costRate)
    state.leakedAt = now
  }

  /** Throws 429 if the bucket of a token overflows. */
  #checkCost(state: TokenState): void {
    this.#leak(state)
    const costRate = this.#costRate
    const excess = state.level - costRate * bucketSeconds
    if (costRate > 0 && excess > 0)
      throw tooManyForToken(
        'the operations of this token cost too much',
        Math.max(1, Math.ceil(excess / costRate)),
        'cost_rate'
      )
  }

  #checkWaiting({ waiting, waitingSize }: TokenState, size: number): void {
    const isLarge = waiting.size > 0 && waitingSize + size > maxWaitingSize
    if (waiting.size >= maxWaiting || isLarge)
      throw tooManyForToken('too many operations of this token are waiting', 1, 'operations_limit')
    if (this.#waiting > 0 && this.#waitingSize + size > maxWaitingSizeOfAll)
      throw overloaded('too many operations wait')
  }

  #wait(state: TokenState, size: number, signal: AbortSignal): Promise<QueueSlot> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<QueueSlot>()
    const dequeue = () => {
      signal.removeEventListener('abort', abort)
      state.waiting.delete(start)
      state.waitingSize -= size
      this.#waiting--
      this.#waitingSize -= size
    }
    const abort = () => {
      dequeue()
      reject(signal.reason)
    }
    const start = () => {
      dequeue()
      try {
        // The cost is checked again, because other operations of the token may have spent the budget meanwhile.
        this.#checkCost(state)
      } catch (error) {
        return reject(error)
      }
      resolve(this.#openSlot(state))
    }
    signal.addEventListener('abort', abort, { once: true })
    state.waiting.add(start)
    state.waitingSize += size
    this.#waiting++
    this.#waitingSize += size
    this.#schedule(state)
    return promise
  }

  #schedule(state: TokenState): void {
    if (state.waiting.size === 0 || state.running >= this.#concurrency) return
    this.#ready.add(state)
    if (!this.#isStarting) void this.#startReady()
  }

  async #startReady(): Promise<void> {
    this.#isStarting = true
    while (this.#ready.size > 0) {
      await nextTurn()
      for (const state of this.#ready) {
        if (this.#startsLeft === 0) break
        this.#countStart()
        const [start] = state.waiting
        start?.()
        // A token with more operations goes to the end, where this loop comes to it again.
        this.#ready.delete(state)
        this.#schedule(state)
      }
    }
    this.#isStarting = false
  }

  /** Counts a start of this turn. The next turn begins with a new count. */
  #countStart(): void {
    if (this.#startsLeft === maxStarts)
      setImmediate(() => {
        this.#startsLeft = maxStarts
      })
    this.#startsLeft--
  }
}
