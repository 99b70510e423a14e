import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import pino, { type Logger } from 'pino'
import type { ProcessSettings } from '../../options/index.ts'
import { computeShutdownMs } from './drain/drain.ts'
import { reportListenError } from './listen.ts'
import { logOptions } from './log.ts'

/** Milliseconds before a worker is replaced. The pause doubles each time a worker ends within `stableAfterMs`. */
const firstPauseMs = 100
const maxPauseMs = 30_000
const stableAfterMs = 30_000
/** Milliseconds after the workers' own timeout before they are killed. */
const killDelayMs = 2000

/**
 * Runs the service in WORKERS processes, which share the port. Replaces each worker that ends. The exit code is that
 * of the first worker that cannot start or that fails at the end. Throws CommandError if the port is in use.
 */
export async function supervise(settings: ProcessSettings, flags: object, demo: boolean): Promise<void> {
  const { stream, ...options } = await logOptions(settings)
  await checkPort(settings)
  const supervisor = new Supervisor(settings, flags, pino(options, stream))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => supervisor.passOn(signal))
  await supervisor.start(demo)
}

/** Checks that no other service uses the port. Without this check, two services could share a port by mistake. */
async function checkPort({ host, port }: ProcessSettings): Promise<void> {
  const server = createServer().listen({ host, port })
  await once(server, 'listening').catch(reportListenError)
  await once(server.close(), 'close')
}

class Supervisor {
  readonly #settings: ProcessSettings
  readonly #flags: object
  readonly #log: Logger
  /** The workers, and whether each one is ready. */
  readonly #children = new Map<ChildProcess, boolean>()
  /** Workers that SIGHUP did not reach, because they were starting. */
  readonly #hungUp = new WeakSet<ChildProcess>()
  /** The port that all workers listen on. If the system chooses it, the first worker reports it. */
  #port: number
  #hasStarted = false
  #isEnding = false
  #exitCode = 0

  constructor(settings: ProcessSettings, flags: object, log: Logger) {
    this.#settings = settings
    this.#port = settings.port
    this.#flags = flags
    this.#log = log
  }

  /** Resolves when all workers are ready. The first one starts alone, and prepares the database. */
  async start(demo: boolean): Promise<void> {
    await this.#startChild(0, demo ? ['--demo'] : [])
    const others: Promise<void>[] = []
    for (let number = 1; number < this.#settings.workers; number++) others.push(this.#startChild(number))
    await Promise.all(others)
    this.#hasStarted = true
  }

  /** Passes a signal on to the workers. A second signal to end kills them. */
  passOn(signal: NodeJS.Signals): void {
    // On a terminal, SIGHUP means that the terminal was closed.
    const ends = signal !== 'SIGHUP' || process.stdout.isTTY
    if (ends && this.#isEnding) this.#kill()
    if (ends) this.#log.info({ signal }, 'closing')
    if (ends) this.#end(0, signal)
    else
      for (const [child, isReady] of this.#children)
        if (isReady) child.kill(signal)
        // It may have read the old files, and the signal would end it before it has a handler.
        else this.#hungUp.add(child)
  }

  /** Resolves when the worker is ready. `earlyEnds` is the number of predecessors in a row that ended early. */
  async #startChild(number: number, words: string[] = [], earlyEnds = 0): Promise<void> {
    const health = this.#settings.healthPort && { 'health-port': this.#settings.healthPort + number }
    const flags = { ...this.#flags, workers: 1, 'reuse-port': true, port: this.#port, ...health }
    const given = Object.entries(flags).map(([flag, text]) => `--${flag}=${text}`)
    const begun = performance.now()
    const child = fork(process.argv[1] as string, ['serve', ...words, ...given])
    this.#children.set(child, false)
    const ended = once(child, 'exit').catch(() => [1, null])
    ended.then(([code, signal]) => {
      const wasReady = this.#children.get(child) === true
      this.#children.delete(child)
      if (this.#isEnding) this.#noteLastEnd(code ?? (wasReady ? 1 : 0))
      else if (wasReady || (this.#hasStarted && this.#children.size > 0)) {
        this.#log.error({ worker: child.pid, code, signal }, 'a worker process ended')
        this.#replaceLater(number, performance.now() - begun < stableAfterMs ? earlyEnds + 1 : 0)
      } else {
        // A worker with an exit code has reported the reason itself.
        if (code === null)
          this.#log.fatal({ worker: child.pid, signal }, 'a worker process ended while it started')
        this.#end(code ?? 1, 'SIGTERM')
      }
    })
    const [ready] = await Promise.race([once(child, 'message').catch(() => ended), ended])
    if (!this.#children.has(child)) return
    this.#children.set(child, true)
    if (this.#hungUp.has(child)) child.kill('SIGHUP')
    this.#port = ready.port
  }

  #replaceLater(number: number, earlyEnds: number): void {
    const pause = Math.min(firstPauseMs * 2 ** earlyEnds, maxPauseMs)
    const start = () =>
      this.#startChild(number, [], earlyEnds).catch(() => this.#replaceLater(number, earlyEnds + 1))
    setTimeout(() => this.#isEnding || start(), pause)
  }

  #end(exitCode: number, signal: NodeJS.Signals): void {
    this.#isEnding = true
    for (const child of this.#children.keys()) child.kill(signal)
    setTimeout(() => this.#kill(), computeShutdownMs(this.#settings) + killDelayMs)
    this.#noteLastEnd(exitCode)
  }

  #noteLastEnd(exitCode: number): void {
    this.#exitCode ||= exitCode
    if (this.#children.size === 0) process.exit(this.#exitCode)
  }

  #kill(): never {
    for (const child of this.#children.keys()) child.kill('SIGKILL')
    process.exit(1)
  }
}
