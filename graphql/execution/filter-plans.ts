import type { TemplateFilter } from '../../db/templates/filter/fields.ts'
import { type FilterInput, toFilter } from '../../db/templates/filter/input.ts'
import type { Plan } from '../../db/templates/plan/plan.ts'
import { planIn, type TemplateSnapshot } from '../../db/templates/read/snapshot.ts'
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
    const filter = readFilter(where)
    this.#operation.spend(cost)
    if (!this.#snapshot) throw new TypeError('the rules of the field must say that it lists templates')
    return planIn(this.#snapshot, filter, needsIndex)
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
