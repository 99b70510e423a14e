import { tooManyRequests } from '../../errors.ts'

export interface AdmissionLimits {
  /** Operations of one token that run at the same time; further ones wait. */
  concurrency: number
  /** Cost that one token may spend per second, averaged over ten seconds; 0 for no limit. */
  costRate: number
}

/** The operations of a token and the level of its bucket. */
interface Share {
  running: number
  waiting: (() => void)[]
  /** Bytes of the waiting requests. */
  waitingSize: number
  spent: number
  /** Time of the last update of `spent`, in milliseconds. */
  at: number
}

/** Capacity of a bucket in seconds at the full rate. */
const bucketSeconds = 10
/** Operations of one token that wait, and the bytes of their requests. */
const maxWaiting = 1000
const maxWaitingSize = 2 ** 26
/** Number of buckets kept. */
const maxShares = 10_000

/** Limits each token: a leaky bucket bounds its cost over time, a queue bounds its concurrent operations. */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #shares = new Map<string, Share>()

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
  }

  /**
   * Waits until the token may run another operation; `size` is that of the request in bytes. Returns a function to call
   * with the cost of the operation when it ends. Throws 429 if the token has spent too much or too many of its operations
   * wait; rejects with the reason of the signal if it aborts. Calls `onWait` if it has to wait.
   */
  async enter(
    token: string,
    size: number,
    signal: AbortSignal,
    onWait?: () => void
  ): Promise<(cost: number) => void> {
    const share = this.#shareOf(token)
    this.#checkSpent(share)
    if (share.running < this.#limits.concurrency) share.running++
    else {
      checkWaiting(share, size)
      onWait?.()
      share.waitingSize += size
      await waitForPlace(share, signal).finally(() => {
        share.waitingSize -= size
      })
    }
    return cost => this.#leave(token, share, cost)
  }

  /** Reads how many operations run and wait. */
  readFigures() {
    const shares = [...this.#shares.values()]
    return {
      graphql_operations_running: shares.reduce((sum, { running }) => sum + running, 0),
      graphql_operations_waiting: shares.reduce((sum, { waiting }) => sum + waiting.length, 0)
    }
  }

  #shareOf(token: string): Share {
    const known = this.#shares.get(token)
    if (known) {
      this.#leak(known)
      return known
    }
    const share: Share = { running: 0, waiting: [], waitingSize: 0, spent: 0, at: performance.now() }
    this.#shares.set(token, share)
    if (this.#shares.size > maxShares) this.#forgetIdle()
    return share
  }

  #checkSpent({ spent }: Share): void {
    const { costRate } = this.#limits
    const tooMuch = spent - costRate * bucketSeconds
    if (costRate === 0 || tooMuch <= 0) return
    throw tooManyRequests('cost of the token', Math.max(1, Math.ceil(tooMuch / costRate)))
  }

  #leave(token: string, share: Share, cost: number): void {
    share.spent += cost
    const next = share.waiting.shift()
    // The next operation takes over the place.
    if (next) next()
    else share.running--
    if (share.running === 0 && this.#limits.costRate === 0) this.#shares.delete(token)
  }

  #leak(share: Share): void {
    const now = performance.now()
    share.spent = Math.max(0, share.spent - ((now - share.at) / 1000) * this.#limits.costRate)
    share.at = now
  }

  /** Deletes empty idle buckets, which carry no information, and if that is not enough the oldest idle one. */
  #forgetIdle(): void {
    for (const [token, share] of this.#shares) {
      this.#leak(share)
      if (share.running === 0 && share.spent === 0) this.#shares.delete(token)
    }
    if (this.#shares.size <= maxShares) return
    for (const [token, { running }] of this.#shares) {
      if (running > 0) continue
      this.#shares.delete(token)
      return
    }
  }
}

function checkWaiting({ waiting, waitingSize }: Share, size: number): void {
  const isLarge = waiting.length > 0 && waitingSize + size > maxWaitingSize
  if (waiting.length >= maxWaiting || isLarge) throw tooManyRequests('waiting operations of the token', 1)
}

function waitForPlace({ waiting }: Share, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const enter = () => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = () => {
      waiting.splice(waiting.indexOf(enter), 1)
      reject(signal.reason)
    }
    waiting.push(enter)
    signal.addEventListener('abort', giveUp, { once: true })
  })
}
