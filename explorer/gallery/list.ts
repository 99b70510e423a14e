import { signal } from '@preact/signals'
import { isAborted } from '../requests.ts'
import { type Criteria, type Layout, toWhere, writeCriteria } from './criteria.ts'
import {
  countTemplates,
  type Entry,
  type Item,
  layoutQueries,
  maxCounted,
  maxIds,
  type Page,
  readItems,
  readPage,
  total
} from './items.ts'
import { toOrderBy } from './orders.ts'

/** A page to read: after or before a cursor, or at the start or the end of the list. */
interface Range {
  after?: string | undefined
  before?: string | undefined
  isBackward?: boolean
  /** Whether the page replaces all entries, and the templates are counted. */
  isBeginning?: boolean
}

/** Templates kept in memory above and below the screen. Beyond them, only ids are kept. */
const maxBeyond = 1000
/** Templates around the screen that are reread together. */
const readAround = 40

/** Lists with the same key have the same templates. */
export const toKey = (criteria: Criteria, layout: Layout): string =>
  writeCriteria({ ...criteria, layout }).toString()

/** The templates read so far. The list starts at the cursor of the address and grows by pages in both directions. */
export class List<Node extends Item = Item> {
  readonly key: string
  readonly layout: Layout
  readonly entries = signal<Entry<Node>[]>([])
  /** The number of matches. Exact with no filter, otherwise at most one more than `maxCounted`. */
  readonly matches = signal<number | undefined>(undefined)
  readonly state = signal<'loading' | 'ready' | 'failed'>('loading')
  readonly hasNext = signal(true)
  readonly hasPrevious = signal(false)
  /** Matching templates created after the list was read. */
  readonly newIds = signal<ReadonlySet<number>>(new Set())
  /** Counts the updates, to refresh what depends on all templates. */
  readonly changes = signal(0)
  /** The scroll position, and the template with the focus. */
  scroll = 0
  focused: number | undefined
  readonly #order: object
  /** The filter of the API; undefined for all templates. */
  readonly where: object | undefined
  #reading: Promise<void> | undefined
  /** The page that was requested last. */
  #requested: Range = {}
  #isFilling = false
  #shown = { first: 0, last: 0 }
  readonly #stop = new AbortController()

  constructor(criteria: Criteria, layout: Layout, from: string | undefined) {
    this.key = toKey(criteria, layout)
    this.layout = layout
    this.where = toWhere(criteria)
    this.#order = toOrderBy(criteria.order)
    this.#read({ after: from, isBeginning: true })
  }

  /** Whether there are more matches than were counted. */
  get hasUncounted(): boolean {
    return this.where !== undefined && (this.matches.value ?? 0) > maxCounted
  }

  /** The number of templates before the first entry; undefined if unknown. */
  get offset(): number | undefined {
    if (!this.hasPrevious.value) return 0
    if (this.hasNext.value || this.hasUncounted || this.matches.value === undefined) return undefined
    return this.matches.value - this.entries.value.length
  }

  readNext(): Promise<void> | undefined {
    if (!this.hasNext.value || this.#isOccupied) return undefined
    return this.#read({ after: this.entries.value.at(-1)?.cursor })
  }

  readPrevious(): Promise<void> | undefined {
    if (!this.hasPrevious.value || this.#isOccupied) return undefined
    return this.#read({ before: this.entries.value[0]?.cursor, isBackward: true })
  }

  get hasFailed(): boolean {
    return this.state.value === 'failed'
  }

  /** After a failure, only the user tries again: scrolling would repeat the request at each step. */
  get #isOccupied(): boolean {
    return this.#reading !== undefined || this.hasFailed
  }

  /** Requests the page that could not be read again. */
  retry(): Promise<void> {
    return this.#reading ?? this.#read(this.#requested)
  }

  /** Restarts the list at its first or last page. */
  async jump(to: 'start' | 'end'): Promise<void> {
    await this.#reading
    const isThere = to === 'start' ? !this.hasPrevious.value : !this.hasNext.value
    if (!isThere) await this.#read({ isBackward: to === 'end', isBeginning: true })
  }

  stop(): void {
    this.#stop.abort()
  }

  /** Records which entries are on the screen, and rereads those that were dropped. */
  async setVisible(first: number, last: number): Promise<void> {
    this.#shown = { first, last }
    if (this.#isFilling) return
    const isDropped = ({ item }: Entry<Node>) => item === undefined
    if (!this.entries.value.slice(first, last).some(isDropped)) return
    const around = this.entries.value.slice(Math.max(0, first - readAround), last + readAround)
    this.#isFilling = true
    await this.#readAgain(around.filter(isDropped).map(({ id }) => id))
      .catch(() => {})
      .finally(() => {
        this.#isFilling = false
      })
  }

  /** Rereads changed templates of the list. They keep their positions, so that nothing moves. */
  async refresh(ids: number[]): Promise<void> {
    const changed = new Set(ids)
    const stale = this.entries.value.filter(({ id, item }) => item && changed.has(id))
    // If there are too many, the rest is reread when it is shown.
    for (const entry of stale.slice(maxIds)) entry.item = undefined
    await this.#readAgain(stale.slice(0, maxIds).map(({ id }) => id))
  }

  /** Finds which of the new templates match the list. */
  async findNew(ids: number[]): Promise<void> {
    const known = new Set(this.entries.value.map(({ id }) => id))
    const unknown = ids.filter(id => !known.has(id))
    const found = await readItems<{ id: number }>('id', unknown, {
      where: this.where,
      stop: this.#stop.signal
    })
    if (found.length > 0) this.newIds.value = new Set([...this.newIds.value, ...found.map(({ id }) => id)])
  }

  async recount(): Promise<void> {
    const { matching, all } = await countTemplates(this.where, this.#stop.signal)
    this.matches.value = matching
    total.value = all
    this.changes.value++
  }

  /** Rereads entries by their ids. Entries of deleted templates are removed. */
  async #readAgain(ids: number[]): Promise<void> {
    if (ids.length === 0) return
    const requested = new Set(ids)
    const items = await readItems<Node>(layoutQueries[this.layout].fields, ids, { stop: this.#stop.signal })
    const found = new Map(items.map(item => [item.id, item]))
    // In place, because a list may have 100,000 entries.
    const isLeft = (entry: Entry<Node>) => {
      if (!requested.has(entry.id)) return true
      entry.item = found.get(entry.id)
      return entry.item !== undefined
    }
    this.entries.value = this.entries.value.filter(isLeft)
  }

  #read(range: Range): Promise<void> {
    this.#requested = range
    const { after, before, isBackward, isBeginning = false } = range
    const { pageSize } = layoutQueries[this.layout]
    const variables = {
      where: this.where,
      orderBy: this.#order,
      ...(isBackward ? { last: pageSize, before } : { first: pageSize, after }),
      all: isBeginning && !this.where,
      matching: isBeginning && this.where !== undefined
    }
    this.#reading = readPage<Node>(this.layout, variables, this.#stop.signal)
      .then(page => this.#add(page, range))
      .catch(error => {
        if (isAborted(error)) return undefined
        // The cursor in the address is invalid or belongs to another order, so the list starts at the beginning.
        if (isBeginning && after !== undefined) return this.#read({ ...range, after: undefined })
        this.state.value = 'failed'
        return undefined
      })
      .finally(() => {
        this.#reading = undefined
      })
    return this.#reading
  }

  #add({ edges, pageInfo, total: all, matching }: Page<Node>, range: Range): void {
    const entries = edges.map(({ cursor, node }): Entry<Node> => ({ id: node.id, cursor, item: node }))
    if (range.isBeginning) this.#shown = { first: 0, last: 0 }
    if (range.isBeginning) this.entries.value = entries
    else if (range.isBackward) this.entries.value = entries.concat(this.entries.value)
    else this.entries.value = this.entries.value.concat(entries)
    if (range.isBeginning || !range.isBackward) this.hasNext.value = !range.isBackward && pageInfo.hasNextPage
    if (range.isBeginning || range.isBackward)
      this.hasPrevious.value = range.isBackward ? pageInfo.hasPreviousPage : range.after !== undefined
    this.matches.value = all ?? matching ?? this.matches.value
    total.value = all ?? total.value
    this.state.value = 'ready'
    this.#dropFar()
  }

  /** Frees the memory of templates far from the screen. */
  #dropFar(): void {
    const { first, last } = this.#shown
    for (const [index, entry] of this.entries.value.entries())
      if (index < first - maxBeyond || index >= last + maxBeyond) entry.item = undefined
  }
}
