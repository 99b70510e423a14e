import { columns } from '../../db/templates/table/columns.ts'
import { humanName } from '../words.ts'

/** What templates are sorted by, as the address names it: the field of the API, and the direction that comes first. */
const sortable = {
  changed: { field: 'TIME_MODIFIED', direction: 'DESC' },
  created: { field: 'TIME_CREATED', direction: 'DESC' },
  name: { field: 'NAME', direction: 'ASC' },
  id: { field: 'ID', direction: 'ASC' },
  component: { field: 'COMPONENT_NAME', direction: 'ASC' },
  chain: { field: 'BLOCKCHAIN_ID', direction: 'ASC' },
  supply: { field: 'MAX_ITEMS', direction: 'ASC' },
  state: { field: 'PUBLIC_PRODUCT', direction: 'ASC' }
} as const
type SortKey = keyof typeof sortable

/** An order as the address has it: a key of `sortable` or `trait.<type>`; with a minus the other direction. */
export type Order = string

export const firstOrder: Order = 'changed'

/** The orders that the gallery offers. */
export const offered: [Order, string][] = [
  ['changed', 'Last modified'],
  ['created', 'Newest'],
  ['-created', 'Oldest'],
  ['name', 'Name'],
  ['id', 'Id']
]

/** The fields that only the table sorts by, as they are called everywhere. */
const labels = new Map([
  ['component', columns.componentName.label],
  ['chain', columns.blockchainId.label],
  ['supply', columns.maxItems.label],
  ['state', columns.publicProduct.label]
])

/** What an order sorts by, without the direction. */
export const keyOf = (order: Order): string => order.replace(/^-/, '')

export const reversed = (order: Order): Order => (order.startsWith('-') ? keyOf(order) : `-${order}`)

/** Reads the order of an address; one that it cannot mean is as if it had none. */
export function readOrder(text: string | null): Order {
  if (text === 'oldest') return '-created'
  return text !== null && (isSortKey(keyOf(text)) || /^-?trait\../s.test(text)) ? text : firstOrder
}

/** The order for the API. */
export function toOrderBy(order: Order): { direction: string } {
  const key = keyOf(order)
  const { direction, ...by } = isSortKey(key)
    ? sortable[key]
    : { trait: key.slice('trait.'.length), direction: 'ASC' }
  const opposite = direction === 'ASC' ? 'DESC' : 'ASC'
  return { ...by, direction: order === key ? direction : opposite }
}

/** Whether the smallest or the oldest comes first. */
export const isAscending = (order: Order): boolean => toOrderBy(order).direction === 'ASC'

/** An order in words. */
export function describeOrder(order: Order): string {
  const known = offered.find(([name]) => name === order)
  if (known) return known[1]
  const key = keyOf(order)
  return `${labels.get(key) ?? humanName(key.replace(/^trait\./, ''))}${isAscending(order) ? '' : ', descending'}`
}

const isSortKey = (key: string): key is SortKey => Object.hasOwn(sortable, key)
