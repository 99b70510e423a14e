import type { Plan } from '../../db/templates/plan/plan.ts'
import { planIn, type TemplateSnapshot } from '../../db/templates/read/snapshot.ts'
import { inSpan } from '../../tracing/active.ts'
import { type FilterInput, toFilter } from '../input/where.ts'
import type { Operation } from './operation.ts'

/** Estimates the cost of planning a filter by its JSON: texts are normalized, objects become conditions in SQL. */
const estimatePlanCost = (filter: string): number =>
  filter.length / 150 + 3 * (filter.match(/\{/g)?.length ?? 0)

/** The filters of an operation in its snapshot. Equal ones share a plan, so their matches are found once. */
export class FilterPlans {
  readonly #operation: Operation
  readonly #snapshot: TemplateSnapshot | undefined
  readonly #plans = new Map<string, Promise<Plan>>()

  constructor(operation: Operation, snapshot: TemplateSnapshot | undefined) {
    this.#operation = operation
    this.#snapshot = snapshot
  }

  /** `needsIndex` says whether what is read needs a complete index, whatever the filter. Rejects with IndexNotReady. */
  plan(where: FilterInput | null | undefined, needsIndex: boolean): Promise<Plan> {
    const filter = JSON.stringify(where ?? {})
    const key = `${needsIndex} ${filter}`
    const planned =
      this.#plans.get(key) ??
      inSpan('plan', {}, () => this.#create(where, estimatePlanCost(filter), needsIndex))
    this.#plans.set(key, planned)
    return planned
  }

  async #create(where: FilterInput | null | undefined, cost: number, needsIndex: boolean): Promise<Plan> {
    await this.#operation.turn()
    const filter = toFilter(where)
    this.#operation.spend(cost)
    if (!this.#snapshot) throw new TypeError('the rules of the field must say that it lists templates')
    return planIn(this.#snapshot, filter, needsIndex)
  }
}
