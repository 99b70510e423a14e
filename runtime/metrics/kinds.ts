/** The kinds of metrics. Apart from the table of all metrics, which imports those of the features. */

/** Upper bounds of histogram buckets in seconds. */
const workBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export const counter = (help: string, labels: string[] = []) => ({ type: 'counter', help, labels }) as const
export const gauge = (help: string, labels: string[] = []) => ({ type: 'gauge', help, labels }) as const
export const histogram = (help: string, labels: string[] = [], buckets = workBuckets) =>
  ({ type: 'histogram', help, labels, buckets }) as const

export type Definition = ReturnType<typeof counter | typeof gauge | typeof histogram>
