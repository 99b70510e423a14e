import { randomUUID } from 'node:crypto'
import { affectsRows } from '../../../db/affects-rows.ts'
import type { Db } from '../../../db/schema.ts'
import { withWebhooks } from './tables.ts'

/** Milliseconds without a new beat after which the leader counts as dead. */
const beatTimeout = 5000

/**
 * Lets only one process, the leader, send to the webhooks. The leader writes a new beat again and again. If no beat
 * comes, another process takes over. Each process measures this by its own clock, so the clocks of machines may differ.
 */
export class Leadership {
  readonly #db: Db
  /** The last beat of this process. */
  #ownBeat: string | undefined
  /** The beat that was read last, and when it was first read. */
  #lastBeat: string | undefined
  #lastBeatSince = 0
  /** Until when this process leads. */
  #until = 0

  constructor(db: Db) {
    this.#db = db
  }

  /** Whether this process leads. Nobody else takes over before this is false. */
  get isHeld(): boolean {
    return performance.now() < this.#until
  }

  /** Continues to lead, or begins to if no process leads. Returns whether this process leads. */
  async renew(): Promise<boolean> {
    const { beat } = await withWebhooks(this.#db)
      .selectFrom('product_webhook_leader')
      .select('beat')
      .executeTakeFirstOrThrow()
    // Read after the beat, which may be as new as its read, however long that took.
    const now = performance.now()
    if (beat !== this.#lastBeat) this.#lastBeatSince = now
    this.#lastBeat = beat
    const isFree = beat === '' || beat === this.#ownBeat || now - this.#lastBeatSince > beatTimeout
    if (!isFree || !(await this.#replace(beat, randomUUID()))) this.#until = 0
    else this.#until = now + beatTimeout
    return this.isHeld
  }

  /** Stops leading, so that another process can begin at once. */
  async release(): Promise<void> {
    this.#until = 0
    if (this.#ownBeat) await this.#replace(this.#ownBeat, '')
  }

  async #replace(from: string, to: string): Promise<boolean> {
    const beats = withWebhooks(this.#db)
      .updateTable('product_webhook_leader')
      .set({ beat: to })
      .where('beat', '=', from)
    if (!(await affectsRows(beats))) return false
    this.#ownBeat = this.#lastBeat = to
    return true
  }
}
