import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import pino, { type Logger } from 'pino'
import type { ProcessSettings } from '../../options.ts'
import { shutdownMilliseconds } from './drain/drain.ts'
import { reportListenError } from './listen.ts'
import { logOptions } from './log.ts'

/** Milliseconds before a process is replaced. It doubles each time a process ends within `stableAfter`. */
const firstPause = 100
const longestPause = 30_000
const stableAfter = 30_000
/** Milliseconds after which the processes have ended by their own timeout. */
const moreForChildren = 2000

/**
 * Runs the service in as many processes as WORKERS says. They share the port with REUSE_PORT. Replaces each that ends,
 * and ends with the exit code of the first that cannot start or does not end well. Throws CommandError for a busy port.
 */
export async function supervise(settings: ProcessSettings, flags: object, demo: boolean): Promise<void> {
  const { stream, ...options } = await logOptions(settings)
  await checkPort(settings)
  const supervisor = new Supervisor(settings, flags, pino(options, stream))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => supervisor.passOn(signal))
  await supervisor.start(demo)
}

/** Takes the port alone for a moment: two services that share one by mistake would not notice. */
async function checkPort({ host, port }: ProcessSettings): Promise<void> {
  const server = createServer().listen({ host, port })
  await once(server, 'listening').catch(reportListenError)
  await once(server.close(), 'close')
}

class Supervisor {
  readonly #settings: ProcessSettings
  readonly #flags: object
  readonly #log: Logger
  /** Each with whether it is ready. */
  readonly #children = new Map<ChildProcess, boolean>()
  /** That of the first process, if the system chooses it. */
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

  /** Resolves once all are ready. The first one prepares the database, and reports what is wrong once. */
  async start(demo: boolean): Promise<void> {
    await this.#startChild(0, demo ? ['--demo'] : [])
    const others: Promise<void>[] = []
    for (let number = 1; number < this.#settings.workers; number++) others.push(this.#startChild(number))
    await Promise.all(others)
    this.#hasStarted = true
  }

  /** Passes a signal on. A second one that ends the service ends it at once. */
  passOn(signal: NodeJS.Signals): void {
    // On a terminal, SIGHUP means that the terminal is gone.
    const ends = signal !== 'SIGHUP' || process.stdout.isTTY
    if (ends && this.#isEnding) this.#kill()
    if (ends) this.#log.info({ signal }, 'closing')
    if (ends) this.#end(0, signal)
    // One that starts reads the files anyway.
    else for (const [child, isReady] of this.#children) if (isReady) child.kill(signal)
  }

  /** Resolves once it is ready. `earlyEnds` of its predecessors ended soon, one after another. */
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
        this.#log.error({ worker: child.pid, code, signal }, 'a worker ended')
        this.#replaceLater(number, performance.now() - begun < stableAfter ? earlyEnds + 1 : 0)
      } else {
        // With an exit code, it has said why.
        if (code === null) this.#log.fatal({ worker: child.pid, signal }, 'a worker ended while it started')
        this.#end(code ?? 1, 'SIGTERM')
      }
    })
    const [ready] = await Promise.race([once(child, 'message').catch(() => ended), ended])
    if (!this.#children.has(child)) return
    this.#children.set(child, true)
    this.#port = ready.port
  }

  #replaceLater(number: number, earlyEnds: number): void {
    const pause = Math.min(firstPause * 2 ** earlyEnds, longestPause)
    const start = () =>
      this.#startChild(number, [], earlyEnds).catch(() => this.#replaceLater(number, earlyEnds + 1))
    setTimeout(() => this.#isEnding || start(), pause)
  }

  #end(exitCode: number, signal: NodeJS.Signals): void {
    this.#isEnding = true
    for (const child of this.#children.keys()) child.kill(signal)
    setTimeout(() => this.#kill(), shutdownMilliseconds(this.#settings) + moreForChildren)
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
