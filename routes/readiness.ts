import { setTimeout } from 'node:timers/promises'
import { checkStore, type StoreReport } from '../db/readiness.ts'
import type { Db } from '../db/schema.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Given by the process, which has other listeners that ask it. */
    productReadiness?: Readiness
    /** How the process ends. Absent in a host, which ends as it likes. */
    productDrain?: {
      /** From now on the service is not ready: send no new requests. */
      announced: AbortSignal
      /** From now on connections are closed; what would go on for ever has to end. */
      closing: AbortSignal
    }
  }
}

/** Milliseconds for which a good and a bad result are kept: a flood of probes costs no more than these. */
const keepGood = 1000
const keepBad = 100
/** Milliseconds after which a store that does not respond is not ready. */
const timeout = 2000

/** What a readiness probe shows: each check is `ok` or says in a few words what is wrong. */
export interface Report {
  status: 'ok' | 'unavailable'
  checks: StoreReport['checks'] & { drain: 'ok' | 'draining' }
}

export interface ReadinessOptions {
  db: Db
  /** Aborted when the process begins to end. */
  draining?: AbortSignal | undefined
  log: { warn(line: object, text: string): void; info(text: string): void }
}

/** Whether a process should get requests. Checks the store at most once at a time, and logs when that changes. */
export class Readiness {
  readonly #options: ReadinessOptions
  /** The latest result, or the next one while the store is asked. */
  #latest: Promise<StoreReport> | undefined
  #expires = 0
  #wasReady = true

  constructor(options: ReadinessOptions) {
    this.#options = options
  }

  async read(): Promise<Report> {
    const { draining, log } = this.#options
    const { checks, error } = await this.#checkLately()
    const isReady = isUsable({ checks })
    if (isReady !== this.#wasReady) {
      if (isReady) log.info('the service is ready again')
      else log.warn({ checks, err: error }, 'the service is not ready')
    }
    this.#wasReady = isReady
    const drain = draining?.aborted ? 'draining' : 'ok'
    return { status: isReady && drain === 'ok' ? 'ok' : 'unavailable', checks: { ...checks, drain } }
  }

  #checkLately(): Promise<StoreReport> {
    if (this.#latest && performance.now() < this.#expires) return this.#latest
    // Until the store has responded.
    this.#expires = Number.POSITIVE_INFINITY
    this.#latest = this.#check()
    return this.#latest
  }

  /** Resolves before the timeout. If the store has not responded by then, the result stays negative until it does. */
  async #check(): Promise<StoreReport> {
    const checked = checkStore(this.#options.db).then(report => {
      this.#latest = checked
      this.#expires = performance.now() + (isUsable(report) ? keepGood : keepBad)
      return report
    })
    return Promise.race([checked, setTimeout(timeout, noAnswer, { ref: false })])
  }
}

const noAnswer: StoreReport = {
  checks: { database: 'no answer', writable: 'unknown', migrations: 'unknown', index: 'unknown' }
}

/**
 * Whether the store is usable. Without a complete index, only operations that need it get 503, and the index is the same
 * for all instances: taking them out of service would refuse everything.
 */
const isUsable = ({ checks: { database, writable, migrations } }: StoreReport): boolean =>
  [database, writable, migrations].every(check => check === 'ok')
