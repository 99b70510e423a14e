import { replicaOf } from '../../db/replica.ts'
import { filterNeedsIndex } from '../../db/templates/filter/fields.ts'
import { ensureIndexed } from '../../db/templates/index/state.ts'
import { planFilter } from '../../db/templates/plan/plan.ts'
import { type PlannedFilter, type Read, readConsistently } from '../../db/templates/read/consistent.ts'
import { defaultOrder, orderNeedsIndex, type TemplateOrder } from '../../db/templates/read/order.ts'
import { estimateTemplates } from '../../db/templates/read/page.ts'
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
  #indexed: Promise<void> | undefined

  constructor(operation: Operation) {
    this.#operation = operation
  }

  async plan(where: FilterInput | null | undefined, order = defaultOrder): Promise<PlannedFilter> {
    if (orderNeedsIndex(order)) await this.ensureIndexed()
    const key = JSON.stringify(where ?? {})
    const found = this.#plans.get(key) ?? inSpan('plan', {}, () => this.#create(where, estimatePlanCost(key)))
    this.#plans.set(key, found)
    const planned = await found
    planned.needsIndex = this.#indexed !== undefined
    return planned
  }

  /** Reads matches as if with one statement: `read` may be called again if a template was written meanwhile. */
  async readMatches<T>(
    where: FilterInput | null | undefined,
    order: TemplateOrder,
    read: Read<T>
  ): Promise<T> {
    const planned = await this.plan(where, order)
    return readConsistently(this.#operation.db, planned, this.#operation.countOnce(read))
  }

  /** Resolves if the index is complete; checks once. Rejects with IndexNotReady. */
  ensureIndexed(): Promise<void> {
    const { db, signal } = this.#operation
    this.#indexed ??= ensureIndexed(db, signal)
    return this.#indexed
  }

  async #create(where: FilterInput | null | undefined, cost: number): Promise<PlannedFilter> {
    const { db, version, signal } = this.#operation
    await this.#operation.turn()
    const filter = toFilter(where)
    this.#operation.spend(cost)
    if (filterNeedsIndex(filter)) await this.ensureIndexed()
    const plan = planFilter(db, filter, await estimateTemplates(db))
    const replica = replicaOf(db)
    const readReplica: PlannedFilter['readReplica'] =
      replica && ((version, job) => replica.read(version, signal, job))
    return { plan, version, needsIndex: false, ...(readReplica && { readReplica }) }
  }
}
