/** Upper bounds of buckets, in seconds. */
export const requestBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
export const pauseBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/** A request that is an example of a bucket. */
export interface Exemplar {
  labelSet: { trace_id: string; span_id: string }
  /** Seconds. */
  value: number
  /** Seconds since the epoch. */
  timestamp: number
}

/** Counts durations in buckets. */
export class Histogram {
  readonly bounds: number[]
  /** The last one counts what is beyond the bounds. */
  readonly counts: Float64Array
  readonly exemplars: (Exemplar | undefined)[] = []
  sum = 0

  constructor(bounds = requestBounds) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  /** Counts a duration in seconds. */
  observe(seconds: number, labelSet?: Exemplar['labelSet']): void {
    let index = 0
    while (index < this.bounds.length && seconds > (this.bounds[index] as number)) index++
    ;(this.counts[index] as number)++
    this.sum += seconds
    if (labelSet) this.exemplars[index] = { labelSet, value: seconds, timestamp: Date.now() / 1000 }
  }
}
