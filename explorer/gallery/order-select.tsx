import { go, hrefOf } from '../place.ts'
import { describeOrder, offered } from './orders.ts'
import { type Wanted, writeWanted } from './wanted.ts'

/** The select for the order. It includes the current order, even if only the table offers it. */
export function OrderSelect({ wanted }: { wanted: Wanted }) {
  const names = new Set([...offered.map(([name]) => name), wanted.order])
  return (
    <select
      class="order"
      aria-label="Order"
      value={wanted.order}
      onChange={event => go(hrefOf([], writeWanted({ ...wanted, order: event.currentTarget.value })))}
    >
      {[...names].map(name => (
        <option key={name} value={name}>
          {describeOrder(name)}
        </option>
      ))}
    </select>
  )
}
