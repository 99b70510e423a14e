import {
  type PlannedFilter,
  planReading,
  type Read,
  readAtOneVersion
} from '../../db/templates/read/consistent.ts'
import { inSpan } from '../../tracing/active.ts'
import { type FilterInput, toFilter } from '../input/where.ts'
import type { Operation } from './operation.ts'

/** Estimates the cost of planning a filter by its JSON: texts are normalized, objects become conditions in SQL. */
const estimatePlanCost = (filter: string): number =>
  filter.length / 150 + 3 * (filter.match(/\{/g)?.length ?? 0)

/** The filters of an operation. Equal ones share a plan, so their matches are found once. */
export class FilterPlans {
  readonly #operation: Operation
  readonly #plans = new Map<string, Promise<PlannedFilter>>()

  constructor(operation: Operation) {
    this.#operation = operation
  }

  /** `needsIndex` says whether what is read needs a complete index, whatever the filter. Rejects with IndexNotReady. */
  plan(where: FilterInput | null | undefined, needsIndex: boolean): Promise<PlannedFilter> {
    const filter = JSON.stringify(where ?? {})
    const key = `${needsIndex} ${filter}`
    const planned =
      this.#plans.get(key) ??
      inSpan('plan', {}, () => this.#create(where, estimatePlanCost(filter), needsIndex))
    this.#plans.set(key, planned)
    return planned
  }

  /** Reads matches as if with one statement: `read` may be called again if a template was written meanwhile. */
  async readMatches<T>(
    where: FilterInput | null | undefined,
    needsIndex: boolean,
    read: Read<T>
  ): Promise<T> {
    const planned = await this.plan(where, needsIndex)
    return readAtOneVersion(this.#operation.db, planned, this.#operation.chargeOnce(read))
  }

  async #create(where: FilterInput | null | undefined, cost: number, needsIndex: boolean) {
    const { db, version, signal } = this.#operation
    await this.#operation.turn()
    const filter = toFilter(where)
    this.#operation.spend(cost)
    return planReading(db, filter, { version, needsIndex, signal })
  }
}
