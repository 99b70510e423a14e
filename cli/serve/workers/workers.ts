import type { FastifyBaseLogger } from 'fastify'
import type { ProcessSettings } from '../../../options.ts'
import { AddressCounter } from '../../../routes/oauth/address-counter.ts'
import type { Report } from '../../../routes/readiness.ts'
import type { Listening } from './messages.ts'
import { type End, WorkerProcess } from './worker-process.ts'
import { divideSettings } from './worker-settings.ts'

/** Milliseconds before a worker is replaced: they double with each one that ended early, up to the longest pause. */
const firstPause = 100
const longestPause = 30_000
/** Milliseconds after which the end of a worker is not early. */
const stableAfter = 30_000

const noWorker: Report = {
  status: 'unavailable',
  checks: { database: 'unknown', writable: 'unknown', migrations: 'unknown', index: 'unknown', drain: 'ok' }
}

type Log = Pick<FastifyBaseLogger, 'error'>

/** The worker processes: started together, replaced when they end, ended together. */
export class Workers {
  readonly #settings: ProcessSettings
  readonly #log: Log
  readonly #running = new Set<WorkerProcess>()
  readonly #primary = { addresses: new AddressCounter() }
  readonly #onLost: (error: unknown) => void
  #port: number
  #earlyEnds = 0
  #closing = false

  /** `onLost` is called with the reason if no worker is left and no other can start. */
  constructor(settings: ProcessSettings, log: Log, onLost: (error: unknown) => void) {
    this.#settings = divideSettings(settings)
    this.#port = settings.port
    this.#log = log
    this.#onLost = onLost
  }

  /** Resolves with where all workers listen. Rejects with the reason if one cannot start, and ends the others. */
  async start(): Promise<Listening> {
    const starting = Array.from({ length: this.#settings.workers }, () => this.#startOne())
    try {
      const [first] = await Promise.all(starting)
      return first as Listening
    } catch (error) {
      this.kill()
      throw error
    }
  }

  /** Lets all workers finish their requests. Rejects if one of them did not end well. */
  async close(): Promise<void> {
    this.#closing = true
    const running = [...this.#running]
    const ends = running.map(async worker => {
      const { listening } = worker
      const { code } = await worker.ended
      return code === 0 || !listening
    })
    for (const worker of running) worker.close()
    if ((await Promise.all(ends)).includes(false)) throw new Error('a worker did not end well')
  }

  /**
   * Whether requests should come: if one worker is ready. The others are being replaced, or have the same trouble. Its
   * checks are those of that worker, or of the first one.
   */
  async readiness(): Promise<Report> {
    const listening = [...this.#running].filter(({ listening }) => listening)
    const answers = await Promise.all(listening.map(worker => worker.ask('readiness')))
    const reports = answers.filter(report => report !== undefined) as Report[]
    const report = reports.find(({ status }) => status === 'ok') ?? reports[0] ?? noWorker
    if (!this.#closing) return report
    return { status: 'unavailable', checks: { ...report.checks, drain: 'draining' } }
  }

  /** Lets all workers read the TLS files again. */
  reload(): void {
    for (const worker of this.#running) worker.reload()
  }

  /** Ends all workers at once. */
  kill(): void {
    this.#closing = true
    for (const worker of this.#running) worker.kill()
  }

  #startOne(): Promise<Listening> {
    const upkeep = ![...this.#running].some(({ upkeep }) => upkeep)
    const settings = { ...this.#settings, port: this.#port }
    const worker = new WorkerProcess({ settings, upkeep }, this.#primary)
    this.#running.add(worker)
    worker.ended.then(end => this.#handleEnd(worker, end))
    return worker.started
  }

  #handleEnd(worker: WorkerProcess, { pid, code, signal, lived }: End): void {
    this.#running.delete(worker)
    if (this.#closing || !worker.listening) return
    // If PORT is 0, those that still run keep the port. Without them it has to be asked for.
    const isLast = ![...this.#running].some(({ listening }) => listening)
    if (isLast) this.#port = worker.listening.port ?? this.#port
    this.#log.error({ worker: pid, code, signal }, 'a worker ended')
    this.#replaceLater(lived)
  }

  #replaceLater(lived: number): void {
    this.#earlyEnds = lived < stableAfter ? this.#earlyEnds + 1 : 0
    setTimeout(() => this.#replace(), Math.min(firstPause * 2 ** this.#earlyEnds, longestPause))
  }

  async #replace(): Promise<void> {
    if (this.#closing) return
    try {
      await this.#startOne()
    } catch (err) {
      if (this.#closing) return
      if (this.#running.size === 0) return this.#onLost(err)
      this.#log.error({ err }, 'a worker cannot start')
      this.#replaceLater(0)
    }
  }
}
