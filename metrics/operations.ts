import type { Collection } from './collection.ts'
import { Histogram } from './histogram.ts'

/** Names of operations that have figures of their own. They come from clients, who may send any number. */
export const maxOperationNames = 100
/** Characters of a name that has figures of its own. */
const longestName = 64

/** The operations of one name and type. */
export class OperationFigures {
  readonly name: string
  readonly type: string
  executed = 0
  kept = 0
  shared = 0
  cost = 0
  readonly durations = new Histogram()

  constructor(name: string, type: string) {
    this.name = name
    this.type = type
  }

  /** Counts an execution with its cost; `begun` is as of performance.now(). */
  countExecuted(cost: number, begun: number): void {
    this.executed++
    this.cost += cost
    this.durations.observe((performance.now() - begun) / 1000)
  }
}

/** An operation of a request. */
export interface NamedOperation {
  /** As its client names it; undefined if it is anonymous. */
  readonly name: string | undefined
  readonly figures: OperationFigures
}

/** The operations by name: the first names have figures of their own, all others share those of `other`. */
export class OperationsByName {
  readonly #figures = new Map<string, OperationFigures>()

  /** Finds the figures of an operation that is valid and admitted. */
  find(name: string | undefined, type: string): NamedOperation {
    return { name, figures: this.#figuresOf(name, type) }
  }

  collect(to: Collection): void {
    for (const { name: operation, type, executed, kept, shared, cost, durations } of this.#figures.values()) {
      const labels = { operation, type }
      to.add('graphql_operations_total', executed, { ...labels, source: 'executed' })
      to.add('graphql_operations_total', kept, { ...labels, source: 'kept' })
      to.add('graphql_operations_total', shared, { ...labels, source: 'shared' })
      to.add('graphql_cost_total', cost, labels)
      to.addHistogram('graphql_operation_duration_seconds', durations, labels)
    }
  }

  #figuresOf(name: string | undefined, type: string): OperationFigures {
    const own = name === undefined ? 'anonymous' : name.length > longestName ? 'other' : name
    const known = this.#figures.get(`${type} ${own}`)
    if (known) return known
    return this.#create(this.#figures.size < maxOperationNames ? own : 'other', type)
  }

  #create(name: string, type: string): OperationFigures {
    const key = `${type} ${name}`
    const figures = this.#figures.get(key) ?? new OperationFigures(name, type)
    this.#figures.set(key, figures)
    return figures
  }
}
