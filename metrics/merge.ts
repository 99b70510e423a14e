import type { Metric, Value } from './collection.ts'
import { type Definition, definitions, type MetricName, prefix } from './definitions.ts'

const combine: Record<Definition['merge'], (one: number, other: number) => number> = {
  sum: (one, other) => one + other,
  max: Math.max,
  min: Math.min
}

/** Merges the metrics of several processes into those of one service. */
export function mergeMetrics(lists: Metric[][]): Metric[] {
  const merged = new Map<string, { metric: Metric; values: Map<string, Value> }>()
  for (const metric of lists.flat()) {
    const entry = merged.get(metric.name) ?? { metric, values: new Map() }
    merged.set(metric.name, entry)
    const { merge } = definitions[metric.name.slice(prefix.length) as MetricName]
    for (const value of metric.values) {
      const key = `${value.metricName ?? ''} ${JSON.stringify(value.labels)}`
      entry.values.set(key, mergeValues(entry.values.get(key), value, combine[merge]))
    }
  }
  return [...merged.values()].map(({ metric, values }) => ({ ...metric, values: [...values.values()] }))
}

function mergeValues(known: Value | undefined, next: Value, combine: (one: number, other: number) => number) {
  if (!known) return next
  const exemplar = latest(known.exemplar, next.exemplar)
  return { ...known, value: combine(known.value, next.value), ...(exemplar && { exemplar }) }
}

const latest = (one: Value['exemplar'], other: Value['exemplar']) =>
  (one?.timestamp ?? 0) > (other?.timestamp ?? 0) ? one : other

/** Returns those that only grow: what a process that has ended has counted still counts. */
export const onlyCounted = (metrics: Metric[]): Metric[] =>
  metrics.filter(({ type }) => type === 'counter' || type === 'histogram')
