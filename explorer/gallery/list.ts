import { signal } from '@preact/signals'
import { isAborted, read } from '../asking.ts'
import { total } from './total.ts'
import { orders, toWhere, type Wanted, writeWanted } from './wanted.ts'

/** A template as its card shows it. */
export interface Item {
  id: number
  name: string
  componentName: string
  blockchainId: number
  maxItems: number
  publicProduct: boolean
  revision: number
  document: { image: string | null } | null
}

export interface Entry {
  cursor: string
  item: Item
}

interface Page {
  products: {
    edges: { cursor: string; node: Item }[]
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean }
    totalCount?: number
  }
}

const pageSize = 48
const fields = 'id name componentName blockchainId maxItems publicProduct revision document { image }'

const pageQuery = `query Gallery($first: Int, $after: String, $last: Int, $before: String, $where: ProductTemplateFilter,
  $orderBy: ProductTemplateOrder, $counted: Boolean!) {
  products(first: $first, after: $after, last: $last, before: $before, where: $where, orderBy: $orderBy) {
    edges { cursor node { ${fields} } }
    pageInfo { hasNextPage hasPreviousPage }
    totalCount @include(if: $counted)
  }
}`

/** The templates that were read so far, page by page, in both directions from where the address begins. */
export class List {
  readonly key: string
  readonly entries = signal<Entry[]>([])
  readonly matches = signal<number | undefined>(undefined)
  readonly state = signal<'loading' | 'ready' | 'failed'>('loading')
  readonly hasNext = signal(true)
  readonly hasPrevious = signal(false)
  /** Where the page was scrolled to, and which template had the focus. */
  scroll = 0
  focused: number | undefined
  readonly #variables: object
  readonly #filtered: boolean
  #reading: Promise<void> | undefined
  readonly #stop = new AbortController()

  constructor(wanted: Wanted, from: string | undefined) {
    this.key = writeWanted(wanted).toString()
    const { field, direction } = orders[wanted.order]
    const where = toWhere(wanted)
    this.#filtered = where !== undefined
    this.#variables = { where, orderBy: { field, direction } }
    this.#read({ first: pageSize, after: from, counted: true })
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

  /** Shows a template as it is now, if it is in the list. It keeps its place, so that nothing moves. */
  async refresh(id: number): Promise<void> {
    if (!this.entries.value.some(({ item }) => item.id === id)) return
    const { product } = await read<{ product: Item | null }>(
      `query Card($id: Int!) { product(id: $id) { ${fields} } }`,
      { id },
      this.#stop.signal
    )
    const entries = this.entries.value
    this.entries.value = product
      ? entries.map(entry => (entry.item.id === id ? { ...entry, item: product } : entry))
      : entries.filter(({ item }) => item.id !== id)
  }

  #read(page: {
    first?: number
    last?: number
    after?: string | undefined
    before?: string | undefined
    counted: boolean
  }) {
    this.#reading = read<Page>(pageQuery, { ...this.#variables, ...page }, this.#stop.signal)
      .then(({ products }) => this.#add(products, page))
      .catch(error => {
        if (!isAborted(error)) this.state.value = 'failed'
      })
      .finally(() => {
        this.#reading = undefined
      })
    return this.#reading
  }

  #add(
    { edges, pageInfo, totalCount }: Page['products'],
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
    if (totalCount !== undefined) {
      this.matches.value = totalCount
      if (!this.#filtered) total.value = totalCount
    }
    this.state.value = 'ready'
  }
}

/** Reads the number of all templates, if no list has yet. */
export async function readTotal(): Promise<void> {
  if (total.value !== undefined) return
  const { products } = await read<{ products: { totalCount: number } }>(
    '{ products(first: 1) { totalCount } }'
  )
  total.value = products.totalCount
}
