import { randomUUID } from 'node:crypto'
import type { Db } from '../schema.ts'

/** Milliseconds without a new beat after which a process counts as dead. */
const patience = 5000

/**
 * Lets one process send to the webhooks. It writes a new beat again and again; if none comes, another process takes over.
 * Only the time of each process counts, so the clocks of machines may differ, and no connection is held.
 */
export class Leadership {
  readonly #db: Db
  #mine: string | undefined
  #seen: string | undefined
  #seenSince = 0
  #until = 0

  constructor(db: Db) {
    this.#db = db
  }

  /** Whether this process leads. Nobody else takes over before this is false. */
  get isHeld(): boolean {
    return performance.now() < this.#until
  }

  /** Goes on leading, or begins to if nobody else does; returns whether this process leads. */
  async hold(): Promise<boolean> {
    const now = performance.now()
    const { beat } = await this.#db
      .selectFrom('product_webhook_leader')
      .select('beat')
      .executeTakeFirstOrThrow()
    if (beat !== this.#seen) this.#seenSince = now
    this.#seen = beat
    const isFree = beat === '' || beat === this.#mine || now - this.#seenSince > patience
    if (!isFree || !(await this.#replace(beat, randomUUID()))) this.#until = 0
    else this.#until = now + patience
    return this.isHeld
  }

  /** Ends it, so that another process need not wait. */
  async release(): Promise<void> {
    this.#until = 0
    if (this.#mine) await this.#replace(this.#mine, '')
  }

  async #replace(from: string, to: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('product_webhook_leader')
      .set({ beat: to })
      .where('beat', '=', from)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    this.#mine = this.#seen = to
    return true
  }
}
