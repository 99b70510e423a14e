import { signal } from '@preact/signals'
import { isAborted, read } from '../asking.ts'
import { cardFields, countSearch, countTemplates, type Item, mostCounted, readItems, total } from './items.ts'
import { orders, toWhere, type Wanted, writeWanted } from './wanted.ts'

export interface Entry {
  cursor: string
  item: Item
}

interface Page {
  products: {
    edges: { cursor: string; node: Item }[]
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean }
    total?: number
    matching?: number
  }
}

const pageSize = 48

const pageQuery = `query Gallery($first: Int, $after: String, $last: Int, $before: String, $where: ProductTemplateFilter,
  $orderBy: ProductTemplateOrder, $all: Boolean!, $matching: Boolean!) {
  products(first: $first, after: $after, last: $last, before: $before, where: $where, orderBy: $orderBy) {
    edges { cursor node { ${cardFields} } }
    pageInfo { hasNextPage hasPreviousPage }
    total: totalCount @include(if: $all)
    matching: ${countSearch} @include(if: $matching)
  }
}`

/** The templates that were read so far, page by page, in both directions from where the address begins. */
export class List {
  readonly key: string
  readonly entries = signal<Entry[]>([])
  /** How many match; more than `mostCounted` only without a filter. */
  readonly matches = signal<number | undefined>(undefined)
  readonly state = signal<'loading' | 'ready' | 'failed'>('loading')
  readonly hasNext = signal(true)
  readonly hasPrevious = signal(false)
  /** Templates that match but appeared after the list was read. */
  readonly fresh = signal<ReadonlySet<number>>(new Set())
  /** How often the templates changed since then, for what depends on all of them. */
  readonly changes = signal(0)
  /** Where the page was scrolled to, and which template had the focus. */
  scroll = 0
  focused: number | undefined
  readonly #order: object
  /** The filter of the API; undefined: all. */
  readonly where: object | undefined
  #reading: Promise<void> | undefined
  readonly #stop = new AbortController()

  constructor(wanted: Wanted, from: string | undefined) {
    this.key = writeWanted(wanted).toString()
    const { field, direction } = orders[wanted.order]
    this.where = toWhere(wanted)
    this.#order = { field, direction }
    this.#read({ first: pageSize, after: from, counted: true })
  }

  /** Whether more match than were counted. */
  get hasUncounted(): boolean {
    return this.where !== undefined && (this.matches.value ?? 0) > mostCounted
  }

  more(): Promise<void> | undefined {
    if (!this.hasNext.value || this.#reading) return undefined
    return this.#read({ first: pageSize, after: this.entries.value.at(-1)?.cursor, counted: false })
  }

  earlier(): Promise<void> | undefined {
    if (!this.hasPrevious.value || this.#reading) return undefined
    return this.#read({ last: pageSize, before: this.entries.value[0]?.cursor, counted: false })
  }

  stop(): void {
    this.#stop.abort()
  }

  /** Shows templates as they are now, if they are in the list. They keep their places, so that nothing moves. */
  async refresh(ids: number[]): Promise<void> {
    const known = new Set(this.entries.value.map(({ item }) => item.id))
    const listed = ids.filter(id => known.has(id))
    const found = new Map(
      (await readItems(listed, undefined, this.#stop.signal)).map(item => [item.id, item])
    )
    this.entries.value = this.entries.value.flatMap(({ cursor, item }) => {
      const now = listed.includes(item.id) ? found.get(item.id) : item
      return now ? [{ cursor, item: now }] : []
    })
  }

  /** Notes which of the templates that were created elsewhere belong to the list. */
  async findNew(ids: number[]): Promise<void> {
    const known = new Set(this.entries.value.map(({ item }) => item.id))
    const found = await readItems(
      ids.filter(id => !known.has(id)),
      this.where,
      this.#stop.signal
    )
    if (found.length > 0) this.fresh.value = new Set([...this.fresh.value, ...found.map(({ id }) => id)])
  }

  /** Counts the templates again. */
  async recount(): Promise<void> {
    const { matching, all } = await countTemplates(this.where, this.#stop.signal)
    this.matches.value = matching
    total.value = all
    this.changes.value++
  }

  #read(page: {
    first?: number
    last?: number
    after?: string | undefined
    before?: string | undefined
    counted: boolean
  }): Promise<void> {
    const { counted, ...range } = page
    this.#reading = read<Page>(
      pageQuery,
      {
        where: this.where,
        orderBy: this.#order,
        ...range,
        all: counted && !this.where,
        matching: counted && this.where !== undefined
      },
      this.#stop.signal
    )
      .then(({ products }) => this.#add(products, page))
      .catch(error => {
        if (isAborted(error)) return undefined
        // The address has an invalid cursor, or one of another order, so the list begins at its start.
        if (counted && page.after !== undefined) return this.#read({ ...page, after: undefined })
        this.state.value = 'failed'
        return undefined
      })
      .finally(() => {
        this.#reading = undefined
      })
    return this.#reading
  }

  #add(
    { edges, pageInfo, total: all, matching }: Page['products'],
    { last, after }: { last?: number; after?: string | undefined }
  ) {
    const entries = edges.map(({ cursor, node }) => ({ cursor, item: node }))
    if (last === undefined) {
      const isFirst = this.entries.value.length === 0
      this.entries.value = [...this.entries.value, ...entries]
      this.hasNext.value = pageInfo.hasNextPage
      if (isFirst) this.hasPrevious.value = after !== undefined
    } else {
      this.entries.value = [...entries, ...this.entries.value]
      this.hasPrevious.value = pageInfo.hasPreviousPage
    }
    this.matches.value = all ?? matching ?? this.matches.value
    total.value = all ?? total.value
    this.state.value = 'ready'
  }
}
