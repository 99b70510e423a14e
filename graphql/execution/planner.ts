import type { Db } from '../../db/schema.ts'
import { textCostPerCharacter } from '../../db/templates/costs.ts'
import { type FilterInput, toFilter } from '../../db/templates/filter/input.ts'
import { type Plan, planFilter } from '../../db/templates/filter/plan.ts'
import { inSpan } from '../../tracing.ts'
import type { SelectedField } from '../demands.ts'
import type { Operation } from './operation.ts'

/** Plans the filters of an operation. Equal filters share a plan, so their matches are found once. */
export class Planner {
  readonly #operation: Operation
  readonly #plans = new Map<string, Promise<Plan>>()

  constructor(operation: Operation) {
    this.#operation = operation
  }

  /** Plans `where` together with the rule of the caller. Reads only numbers of rows. Rejects if `where` is wrong. */
  plan(db: Db, where: FilterInput | null | undefined): Promise<Plan> {
    const text = JSON.stringify(where ?? {})
    const plan = this.#plans.get(text) ?? inSpan('plan', {}, () => this.#create(db, where, text))
    this.#plans.set(text, plan)
    return plan
  }

  async #create(db: Db, where: FilterInput | null | undefined, text: string): Promise<Plan> {
    const { input } = this.#operation
    const { rule } = input.caller
    await this.#operation.turn()
    const filter = toFilter(where, rule)
    this.#operation.spend((text.length + (rule?.text.length ?? 0)) * textCostPerCharacter)
    return planFilter(db, filter)
  }

  /** Estimates the cost of the costliest statement of fields before they run. */
  async estimateCostliest(fields: SelectedField[]): Promise<number> {
    const { db } = this.#operation
    const estimate = async (field: SelectedField) =>
      field.demands.costliest?.(field, await this.plan(db, field.given.where as FilterInput | null), db) ?? 0
    let most = 0
    // The field will report the same error, with its place.
    for (const field of fields) most = Math.max(most, await estimate(field).catch(() => 0))
    return most
  }
}
