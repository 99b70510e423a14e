import type { Metric } from '../../../metrics/collection.ts'
import { type Formatted, formatMetrics } from '../../../metrics/format.ts'
import { Metrics } from '../../../metrics/metrics.ts'

/** The figures of a worker. It shows those of all workers, which it gets from the primary process. */
export class SharedMetrics extends Metrics {
  readonly #ask: () => void
  readonly #waiting = new Set<(metrics: Metric[]) => void>()

  /** `ask` makes the primary process call for `settle`. */
  constructor(ask: () => void) {
    super()
    this.#ask = ask
  }

  override async text(accept?: string): Promise<Formatted> {
    const { promise, resolve } = Promise.withResolvers<Metric[]>()
    this.#waiting.add(resolve)
    this.#ask()
    return formatMetrics(await promise, accept)
  }

  /** The answer of the primary process. */
  settle(metrics: Metric[]): void {
    for (const resolve of this.#waiting) resolve(metrics)
    this.#waiting.clear()
  }
}
