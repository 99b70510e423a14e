import { setTimeout } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Migrations } from '../db/migrate.ts'
import { checkStore, type StoreReport } from '../db/readiness.ts'
import type { Db } from '../db/schema.ts'
import { formatHttpError } from '../plugins/error-handler.ts'
import { unavailable } from '../runtime/errors.ts'
import type { Route } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is for frequent probes: they are not traced, and logged only for debugging. */
    productIsProbe?: true
  }
  interface FastifyInstance {
    /** That of the command, whose listener for probes also uses it, or else that of the service. */
    productReadiness: Readiness
    /** The shutdown of the command. Absent in a host, which controls its own shutdown. */
    productDrain?: {
      /** Aborted when the service should get no new requests. */
      announced: AbortSignal
      /** Aborted when connections are closed; endless responses must end. */
      closing: AbortSignal
    }
  }
}

/** Milliseconds for which a good and a bad result are cached, so that many probes cause few checks of the store. */
const keepGoodMs = 1000
const keepBadMs = 100
/** Milliseconds that the store has to respond. */
const checkTimeoutMs = 2000

/** The body of a readiness probe: each check is `ok` or a short description of the problem. */
interface Report {
  status: 'ok' | 'unavailable'
  checks: StoreReport['checks'] & { drain: 'ok' | 'draining' }
}

interface ReadinessOptions {
  db: Db
  migrations: Migrations
  /** Aborted when the process begins to end. */
  draining?: AbortSignal | undefined
  log: { warn(line: object, text: string): void; info(text: string): void }
}

/** Whether a process should get requests. Runs one check of the store at a time, and logs when the result changes. */
export class Readiness {
  readonly #options: ReadinessOptions
  /** The latest result, or the next result while a check runs. */
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
    // The running check is used until the store has responded.
    this.#expires = Number.POSITIVE_INFINITY
    this.#latest = this.#check()
    return this.#latest
  }

  /** Resolves before the timeout. If the store has not responded by then, the result stays negative until it does. */
  async #check(): Promise<StoreReport> {
    const { db, migrations } = this.#options
    const checked = checkStore(db, migrations).then(report => {
      this.#latest = checked
      this.#expires = performance.now() + (isUsable(report) ? keepGoodMs : keepBadMs)
      return report
    })
    return Promise.race([checked, setTimeout(checkTimeoutMs, noAnswer, { ref: false })])
  }
}

const noAnswer: StoreReport = {
  checks: { database: 'no answer', writable: 'unknown', migrations: 'unknown', index: 'unknown' }
}

/**
 * Whether the store is usable. An incomplete index does not count: only operations that need it get 503, and all
 * instances share it, so taking them out of service would refuse all requests.
 */
const isUsable = ({ checks: { database, writable, migrations } }: StoreReport): boolean =>
  [database, writable, migrations].every(check => check === 'ok')

export const ok = { status: 'ok' } as const
const config = { productIsProbe: true } as const

/** Liveness: if this fails, restart the process. */
export const livez: Route = () => ({ config, handler: async () => ok })

/** Whether the start has finished. The service listens only after that; `HEALTH_PORT` responds before. */
export const startupz = livez

/** Readiness, including the database: if this fails, send no requests here. */
export const readyz: Route = ({ productReadiness: readiness }) => ({
  config,
  handler: async (_request, reply) => sendReport(reply, await readiness.read())
})

/** Sends the result of a probe, as an error if the process should get no requests. */
export function sendReport(reply: FastifyReply, report: Pick<Report, 'status'>): FastifyReply {
  if (report.status === 'ok') return reply.send(report)
  return reply
    .code(503)
    .header('Retry-After', 1)
    .send({ ...formatHttpError(unavailable(report)), ...report })
}
