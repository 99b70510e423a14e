import { columns } from '../../domain/columns.ts'
import { humanName } from '../format.ts'

/** The sort keys of the address, with the field of the API and the default direction. */
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

/** An order in the address: a key of `sortable` or `trait.<type>`. A minus reverses the direction. */
export type Order = string

export const firstOrder: Order = 'changed'

/** The orders that the gallery offers. */
export const galleryOrders: [Order, string][] = [
  ['changed', 'Last modified'],
  ['created', 'Newest'],
  ['-created', 'Oldest'],
  ['name', 'Name'],
  ['id', 'Id']
]

/** The labels of the fields that only the table sorts by. */
const labels = new Map([
  ['component', columns.componentName.label],
  ['chain', columns.blockchainId.label],
  ['supply', columns.maxItems.label],
  ['state', columns.publicProduct.label]
])

/** Returns the sort key without the direction. */
export const sortKeyOf = (order: Order): string => order.replace(/^-/, '')

export const reverseOrder = (order: Order): Order => (order.startsWith('-') ? sortKeyOf(order) : `-${order}`)

/** Reads the order from the address. An unknown order becomes the default. */
export function readOrder(text: string | null): Order {
  if (text === 'oldest') return '-created'
  return text !== null && (isSortKey(sortKeyOf(text)) || /^-?trait\../s.test(text)) ? text : firstOrder
}

/** Returns the order as the API expects it. */
export function toOrderBy(order: Order): { direction: string } {
  const key = sortKeyOf(order)
  const { direction, ...by } = isSortKey(key)
    ? sortable[key]
    : { trait: key.slice('trait.'.length), direction: 'ASC' }
  const opposite = direction === 'ASC' ? 'DESC' : 'ASC'
  return { ...by, direction: order === key ? direction : opposite }
}

/** Whether the smallest or the oldest comes first. */
export const isAscending = (order: Order): boolean => toOrderBy(order).direction === 'ASC'

/** Returns the label of an order that the gallery does not offer. */
export function describeOrder(order: Order): string {
  const key = sortKeyOf(order)
  return `${labels.get(key) ?? humanName(key.replace(/^trait\./, ''))}${isAscending(order) ? '' : ', descending'}`
}

const isSortKey = (key: string): key is SortKey => Object.hasOwn(sortable, key)
