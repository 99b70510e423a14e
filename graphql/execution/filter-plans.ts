import type { TemplateFilter } from '../../db/templates/filter/fields.ts'
import { type FilterInput, toFilter } from '../../db/templates/filter/input.ts'
import { type Plan, planFilter } from '../../db/templates/plan/plan.ts'
import type { TemplateSnapshot } from '../../db/templates/read/snapshot.ts'
import { ArgumentError } from '../../errors.ts'
import { inSpan } from '../../tracing/active.ts'
import { badInput } from '../input/bad-input.ts'
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

  plan(where: FilterInput | null | undefined): Promise<Plan> {
    const key = JSON.stringify(where ?? {})
    const planned =
      this.#plans.get(key) ?? inSpan('plan', {}, () => this.#create(where, estimatePlanCost(key)))
    this.#plans.set(key, planned)
    return planned
  }

  async #create(where: FilterInput | null | undefined, cost: number): Promise<Plan> {
    await this.#operation.turn()
    const filter = readFilter(where)
    this.#operation.spend(cost)
    if (!this.#snapshot) throw new TypeError('the rules of the field must say that it lists templates')
    return planFilter(this.#snapshot.db, filter, this.#snapshot.templates)
  }
}

/** Converts `where` to a filter. Throws BAD_USER_INPUT. */
function readFilter(where: FilterInput | null | undefined): TemplateFilter {
  try {
    return toFilter(where)
  } catch (error) {
    throw error instanceof ArgumentError ? badInput(error.message) : error
  }
}
