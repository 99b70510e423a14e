import type { Test } from 'tap'
import { serve } from '../../support/service/process.ts'

type Running = Awaited<ReturnType<typeof serve>>

/** Processes of the service. One that is killed is started again, at another address. */
export class Instances {
  /** Their addresses. */
  readonly urls: string[] = []
  readonly #running: Running[] = []
  readonly #start: (index: number) => Promise<Running>

  private constructor(t: Test, environments: Record<string, string>[]) {
    this.#start = index => startPatiently(t, environments[index] as Record<string, string>)
  }

  /** Starts one in each environment. */
  static async start(t: Test, environments: Record<string, string>[]): Promise<Instances> {
    const instances = new Instances(t, environments)
    for (const index of environments.keys()) await instances.#run(index)
    return instances
  }

  async #run(index: number): Promise<void> {
    const running = await this.#start(index)
    this.#running[index] = running
    this.urls[index] = running.url
  }

  #pick(random: () => number): number {
    return Math.floor(random() * this.#running.length)
  }

  async kill(random: () => number): Promise<void> {
    const index = this.#pick(random)
    this.#running[index]?.child.kill('SIGKILL')
    await this.#run(index)
  }

  /** Makes one hang; returns what ends that. */
  stop(random: () => number): () => void {
    const child = this.#running[this.#pick(random)]?.child
    child?.kill('SIGSTOP')
    return () => child?.kill('SIGCONT')
  }
}

/** As a process manager does: one that finds no primary in time ends, and is started again. */
async function startPatiently(t: Test, env: Record<string, string>): Promise<Running> {
  while (true) {
    const running = await serve(t, [], env).catch(() => undefined)
    if (running) return running
  }
}
