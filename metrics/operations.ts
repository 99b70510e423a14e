import type { Metrics } from './metrics.ts'

/** Names of operations that have figures of their own. They come from clients, who may send any number. */
export const maxOperationNames = 100
/** Characters of a name that has figures of its own. */
const longestName = 64

/** An operation of a request. */
export interface NamedOperation {
  /** As its client names it; undefined if it is anonymous. */
  readonly name: string | undefined
  readonly figures: OperationFigures
}

type OperationFigures = ReturnType<typeof countOperations>

/** The operations by name: the first names have figures of their own, all others share those of `other`. */
export class OperationsByName {
  readonly #metrics: Metrics
  readonly #figures = new Map<string, OperationFigures>()

  constructor(metrics: Metrics) {
    this.#metrics = metrics
  }

  /** Finds the figures of an operation that is valid and admitted. */
  find(name: string | undefined, type: string): NamedOperation {
    const own = name === undefined ? 'anonymous' : name.length > longestName ? 'other' : name
    const figures = this.#figures.get(`${type} ${own}`)
    return {
      name,
      figures: figures ?? this.#add(this.#figures.size < maxOperationNames ? own : 'other', type)
    }
  }

  #add(operation: string, type: string): OperationFigures {
    const key = `${type} ${operation}`
    const figures = this.#figures.get(key) ?? countOperations(this.#metrics, { operation, type })
    this.#figures.set(key, figures)
    return figures
  }
}

/** Counts the operations of one name and type. */
function countOperations(metrics: Metrics, labels: { operation: string; type: string }) {
  const count = (source: string) => {
    const counter = metrics.counter('graphql_operations_total').labels({ ...labels, source })
    counter.inc(0)
    return counter
  }
  const executed = count('executed')
  const cost = metrics.counter('graphql_cost_total').labels(labels)
  const durations = metrics.histogram('graphql_operation_duration_seconds').labels(labels)
  return {
    type: labels.type,
    kept: count('kept'),
    shared: count('shared'),
    /** Counts an execution with its cost; `begun` is as of performance.now(). */
    countExecuted(spent: number, begun: number): void {
      executed.inc()
      cost.inc(spent)
      durations.observe((performance.now() - begun) / 1000)
    }
  }
}
