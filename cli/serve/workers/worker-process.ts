import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { StartError } from '../../../errors.ts'
import { locateMain } from '../../../files/locate.ts'
import type { AddressCounter } from '../../../routes/oauth/address-counter.ts'
import { CommandError } from '../../terminal/command.ts'
import type { Failed, Listening, Question, Start, ToPrimary, ToWorker } from './messages.ts'
import { WorkerQuestions } from './worker-questions.ts'

const workerFile = locateMain('cli/serve/workers/worker-main')

/** How a worker ended: its process id, its exit code or a signal, and the milliseconds it lived. */
export interface End {
  pid: number | undefined
  code: number | null
  signal: string | null
  lived: number
}

/** What the primary process does for its workers. */
export interface Primary {
  addresses: AddressCounter
}

/** A worker as the primary process sees it. */
export class WorkerProcess {
  readonly upkeep: boolean
  /** Resolves once it listens. Rejects with the reason if it ends before. */
  readonly started: Promise<Listening>
  readonly ended: Promise<End>
  /** Where it listens; undefined before. */
  listening: Listening | undefined
  readonly #worker: Worker
  readonly #primary: Primary
  readonly #questions = new WorkerQuestions(question => this.#send(question))
  #reason: Error | undefined

  constructor(start: Omit<Start, 'type'>, primary: Primary) {
    cluster.setupPrimary({ exec: fileURLToPath(workerFile), args: [] })
    const begun = performance.now()
    this.#worker = cluster.fork()
    this.#primary = primary
    this.upkeep = start.upkeep
    const { pid } = this.#worker.process
    this.ended = new Promise(resolve => {
      const end = (code: number | null, signal: string | null) =>
        resolve({ pid, code, signal, lived: performance.now() - begun })
      this.#worker.once('exit', end)
      this.#worker.on('error', error => {
        this.#reason = error
        // There was no process to begin with.
        if (pid === undefined) end(1, null)
      })
    })
    const started = Promise.withResolvers<Listening>()
    this.started = started.promise
    this.#worker.on('message', (message: ToPrimary) => {
      this.#receive(message)
      if (this.listening) started.resolve(this.listening)
    })
    // No difference once it has started.
    this.ended.then(({ code, signal }) => started.reject(this.#reason ?? endedAtStart(code, signal)))
    this.#send({ type: 'start', ...start })
  }

  /** Resolves with what it says about itself; with undefined if it says nothing in time. */
  ask = (about: Question['about']): Promise<unknown> => this.#questions.ask(about)

  /** Lets it finish its requests; ends it at once if it does not listen yet. */
  close(): void {
    if (this.listening) this.#send({ type: 'close' })
    else this.kill()
  }

  /** Lets it read the TLS files again. */
  reload(): void {
    this.#send({ type: 'reload' })
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  #receive(message: ToPrimary): void {
    if (message.type === 'failed') this.#reason = toError(message)
    else if (message.type === 'listening') this.listening = message
    else if (message.type === 'answer') this.#questions.settle(message)
    else {
      const { id, address, milliseconds } = message
      this.#send({ type: 'counted', id, ...this.#primary.addresses.count(address, milliseconds) })
    }
  }

  #send(message: ToWorker): void {
    // Without a callback, an error would be thrown if the worker has just ended; its end is handled anyway.
    this.#worker.process.send?.(message, undefined, undefined, () => {})
  }
}

const toError = ({ code, message }: Failed): Error =>
  code === undefined ? new CommandError(message) : new StartError(code, message)

const endedAtStart = (code: number | null, signal: string | null): Error =>
  new CommandError(`a worker ended while it started: ${signal ?? `exit code ${code}`}`)
