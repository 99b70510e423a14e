import { operationDb } from '../../db/dialects/engine.ts'
import { ReplicaFailed } from '../../db/dialects/faults.ts'
import type { Db } from '../../db/schema.ts'
import { type FilterInput, toFilter } from '../../db/templates/filter/filter.ts'
import { type Plan, planFilter } from '../../db/templates/filter/plan.ts'
import { openSnapshot, type Snapshot } from '../../db/templates/snapshot.ts'
import type { Operation } from './operation.ts'

/** The databases that an operation reads: a snapshot of the templates, or the database itself. */
export class Reader {
  readonly #operation: Operation
  /** The database without a snapshot. */
  #db: Db | undefined
  #snapshot: Snapshot | undefined
  #plans: Map<string, Plan> | undefined

  constructor(operation: Operation) {
    this.#operation = operation
  }

  /**
   * The database to read templates from: the snapshot, if there is one. Throws the reason if the operation has ended.
   */
  get db(): Db {
    this.#operation.assertRunning()
    return this.#snapshot?.db ?? this.#withoutSnapshot
  }

  /** The database to read accounts from, which is never a replica: accounts have another version than templates. */
  get primary(): Db {
    this.#operation.assertRunning()
    return this.#snapshot?.replica ? this.#withoutSnapshot : this.db
  }

  get #withoutSnapshot(): Db {
    this.#db ??= operationDb(this.#operation.input.db, this.#operation.lifetime)
    return this.#db
  }

  /** Opens the snapshot. Rejects with NotReady, or with the reason if the operation has ended. */
  async openSnapshot({ needsIndex, needsPrimary }: Record<'needsIndex' | 'needsPrimary', boolean>) {
    const { input, lifetime } = this.#operation
    const templatesVersion = needsPrimary ? undefined : input.templatesVersion
    const snapshot = await openSnapshot(input.db, {
      needsIndex,
      templatesVersion,
      signal: lifetime.signal
    })
    this.#snapshot = snapshot
    try {
      this.#operation.assertRunning()
    } catch (error) {
      // Nobody else would end it.
      await snapshot.end()
      throw error
    }
  }

  endSnapshot(): void {
    void this.#snapshot?.end()
    this.#snapshot = undefined
  }

  /** Plans `where` with the caller's rule, once for equal filters. Throws if `where` is wrong. */
  plan(where: FilterInput | null | undefined): Plan {
    const text = JSON.stringify(where ?? {})
    this.#plans ??= new Map()
    const plan = this.#plans.get(text) ?? planFilter(this.db, toFilter(where, this.#operation.rule))
    this.#plans.set(text, plan)
    return plan
  }

  /** If the replica has failed, throws an error that tells the client to try again. */
  throwIfReplicaFailed(error: unknown): void {
    if (this.#snapshot?.replica?.noteFailure(error)) throw new ReplicaFailed(error)
  }
}
