import { EventEmitter, once } from 'node:events'
import { yieldStreamToEventLoop } from '../../../runtime/event-loop.ts'
import { Semaphore } from '../../../runtime/semaphore.ts'
import { operationDb } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { type Version, type Versions, versionsOf } from '../../versions.ts'
import type { TemplateFilter } from '../filter/filter.ts'
import {
  type Change,
  findLastPosition,
  listChanges,
  selectVisibleChanges,
  tryToReleaseChanges
} from './changes.ts'

/** Milliseconds between two looks for new changes. */
const interval = 250
/**
 * Readers that may read earlier changes or contents of templates at the same time. The limit leaves connections and
 * turns of the event loop to other requests.
 */
const maxReads = 2
/** Changes that stay in memory for all readers. */
const keptChanges = 1000

/** The changes for the streams and features of a service. While there are readers, it looks for new changes. */
export class ChangeFeed {
  readonly #db: Db
  readonly #versions: Versions
  readonly #report: (error: unknown) => void
  /** `news`: there are new changes, or a token may have ended. `left`: the last reader has left. */
  readonly #events = new EventEmitter<{ news: []; left: [] }>().setMaxListeners(0)
  readonly #places = new Semaphore(maxReads)
  #readers = 0
  #recent: Change[] = []
  /** Position of the last known change; undefined before the first look. */
  #last: number | undefined
  /** The version at the last look; undefined before the first look. */
  version: Version | undefined
  #following: Promise<void> | undefined

  /** `report` is called for the first of several failures in a row. */
  constructor(db: Db, report: (error: unknown) => void) {
    this.#db = operationDb(db)
    this.#versions = versionsOf(db)
    this.#report = report
  }

  /** Adds a reader. Returns the function that removes it. */
  open(): () => void {
    this.#readers++
    this.#following ??= this.#follow()
    return () => {
      this.#readers--
      if (this.#readers === 0) this.#events.emit('left')
    }
  }

  /** Resolves when the feed does not use the database any more. Call it after all readers have left. */
  async close(): Promise<void> {
    await this.#following
  }

  /**
   * Reads changes after a position: recent ones from memory, others from the database. The version is read after the
   * changes, so a token that is valid at that version may see them. Rejects if the signal aborts.
   */
  async read(after: number, first: number, signal: AbortSignal) {
    // A change wakes all readers at the same time.
    await yieldStreamToEventLoop()
    const { version } = this
    if (this.#last !== undefined && after >= this.#last) return { changes: [], version }
    const oldest = this.#recent[0]?.position ?? Number.POSITIVE_INFINITY
    if (after + 1 >= oldest) {
      const start = this.#recent.findLastIndex(({ position }) => position <= after) + 1
      return { changes: this.#recent.slice(start, start + first), version }
    }
    const leave = await this.#places.take(signal)
    // Readers that wait for a place would otherwise read one after the other without a turn in between.
    await yieldStreamToEventLoop()
    const changes = await listChanges(this.#db, after, first).finally(leave)
    return { changes, version: await this.#versions.now() }
  }

  /** Like {@link selectVisibleChanges}, when there is a place. Rejects if the signal aborts. */
  async selectVisible(filter: TemplateFilter, changes: Change[], signal: AbortSignal): Promise<Change[]> {
    const leave = await this.#places.take(signal)
    return selectVisibleChanges(this.#db, filter, changes).finally(leave)
  }

  /**
   * Waits for a change after a position, or for a new `Version.access`, which can end a token. `known` is the last that
   * the reader has read. Resolves to false if none comes within some milliseconds, or if the signal aborts.
   */
  async wait(
    known: { position: number; version: Version | undefined },
    milliseconds: number,
    signal: AbortSignal
  ): Promise<boolean> {
    const isNews = (this.#last ?? 0) > known.position || this.version?.access !== known.version?.access
    return isNews ? !signal.aborted : this.#happens('news', milliseconds, signal)
  }

  /** Whether an event happens within some milliseconds and before a signal aborts. */
  async #happens(event: 'news' | 'left', milliseconds: number, ...signals: AbortSignal[]): Promise<boolean> {
    const signal = AbortSignal.any([...signals, AbortSignal.timeout(Math.ceil(milliseconds))])
    return once(this.#events, event, { signal }).then(
      () => true,
      () => false
    )
  }

  async #follow(): Promise<void> {
    let failed = false
    while (this.#readers > 0) {
      const count = await this.#look().catch(error => {
        if (!failed) this.#report(error)
        return undefined
      })
      failed = count === undefined
      if (!count && this.#readers > 0) await this.#happens('left', interval)
    }
    this.#recent = []
    this.#last = undefined
    this.version = undefined
    this.#following = undefined
  }

  /** Releases new changes, reads them and wakes the readers. Returns their number. */
  async #look(): Promise<number> {
    const isFirst = this.#last === undefined
    this.#last ??= await findLastPosition(this.#db)
    // If it fails, the readers wait for the changes, but still learn that a token has ended.
    await tryToReleaseChanges(this.#db)
    const changes = await listChanges(this.#db, this.#last, keptChanges)
    const version = await this.#versions.now()
    const isAccessSame = version.access === this.version?.access
    this.version = version
    if (changes.length === 0 && isAccessSame && !isFirst) return 0
    this.#recent = [...this.#recent, ...changes].slice(-keptChanges)
    this.#last = this.#recent.at(-1)?.position ?? this.#last
    this.#events.emit('news')
    return changes.length
  }
}
