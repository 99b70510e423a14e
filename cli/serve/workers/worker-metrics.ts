import { Collection, type Metric } from '../../../metrics/collection.ts'
import { mergeMetrics, onlyCounted } from '../../../metrics/merge.ts'
import { ProcessFigures } from '../../../metrics/process.ts'
import type { WorkerProcess } from './worker-process.ts'

/** The metrics of all workers as those of one service, in the primary process. */
export class WorkerMetrics {
  readonly #ofProcess = new ProcessFigures()
  /** What each worker said last. If it is too busy to answer, that is better than sums without it. */
  readonly #last = new Map<WorkerProcess, Metric[]>()
  /** What workers that have ended had counted at their last scrape, so that no sum decreases. */
  #ended: Metric[] = []
  #ends = 0

  async collect(workers: ReadonlySet<WorkerProcess>): Promise<Metric[]> {
    const listening = [...workers].filter(({ listening }) => listening)
    await Promise.all(
      listening.map(async worker => {
        const metrics = (await worker.ask('metrics')) as Metric[] | undefined
        if (metrics && workers.has(worker)) this.#last.set(worker, metrics)
      })
    )
    return mergeMetrics([...this.#last.values(), this.#ended, await this.#collectOwn(listening.length)])
  }

  /** A worker has ended by itself. */
  forget(worker: WorkerProcess): void {
    this.#ends++
    this.#ended = mergeMetrics([this.#ended, onlyCounted(this.#last.get(worker) ?? [])])
    this.#last.delete(worker)
  }

  async #collectOwn(workers: number): Promise<Metric[]> {
    const to = new Collection()
    to.add('workers', workers)
    to.add('worker_ends_total', this.#ends)
    await this.#ofProcess.collect(to).catch(() => {})
    return to.toMetrics()
  }
}
