import { type Definition, definitions, type MetricName, prefix } from './definitions.ts'
import type { Exemplar, Histogram } from './histogram.ts'

export type Labels = Record<string, string | number>

export interface Value {
  /** Of a histogram: with `_bucket`, `_sum` or `_count`. */
  metricName?: string
  labels: Labels
  value: number
  exemplar?: Exemplar
}

/** A metric at one moment, in the form of prom-client. */
export interface Metric extends Pick<Definition, 'type' | 'help'> {
  name: string
  values: Value[]
}

/** The values of metrics at one moment. */
export class Collection {
  readonly #values = new Map<MetricName, Value[]>()

  add(name: MetricName, value: number, labels: Labels = {}): void {
    this.#of(name).push({ labels, value })
  }

  /** Adds the buckets of a histogram, each with the count of those before. */
  addHistogram(name: MetricName, { bounds, counts, exemplars, sum }: Histogram, labels: Labels = {}): void {
    const values = this.#of(name)
    let count = 0
    counts.forEach((ofBucket, index) => {
      count += ofBucket
      const le = index < bounds.length ? (bounds[index] as number) : '+Inf'
      const exemplar = exemplars[index]
      const bucket = { metricName: `${prefix}${name}_bucket`, labels: { ...labels, le }, value: count }
      values.push(exemplar ? { ...bucket, exemplar } : bucket)
    })
    values.push({ metricName: `${prefix}${name}_sum`, labels, value: sum })
    values.push({ metricName: `${prefix}${name}_count`, labels, value: count })
  }

  /** Returns every metric in the order of the table, also those without a value. */
  toMetrics(): Metric[] {
    return Object.entries(definitions).map(([name, { type, help }]) => ({
      name: prefix + name,
      help,
      type,
      values: this.#values.get(name as MetricName) ?? []
    }))
  }

  #of(name: MetricName): Value[] {
    const values = this.#values.get(name) ?? []
    this.#values.set(name, values)
    return values
  }
}
