import { go, hrefOf } from '../place.ts'
import { type OrderName, orders, type Wanted, writeWanted } from './wanted.ts'

/** The order of the templates. */
export function Order({ wanted }: { wanted: Wanted }) {
  const choose = (order: OrderName) => go(hrefOf([], writeWanted({ ...wanted, order })))
  return (
    <select
      class="order"
      aria-label="Order"
      value={wanted.order}
      onChange={event => choose(event.currentTarget.value as OrderName)}
    >
      {Object.entries(orders).map(([name, { label }]) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  )
}
