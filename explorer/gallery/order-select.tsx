import { telling } from '../filters/telling.ts'
import { humanName } from '../format.ts'
import { hrefOf, navigate } from '../route.ts'
import { type Criteria, writeCriteria } from './criteria.ts'
import { describeOrder, galleryOrders } from './orders.ts'

/** The select for the order. It includes the current order, even if only the table offers it. */
export function OrderSelect({ criteria }: { criteria: Criteria }) {
  const { price } = telling.value
  const orders = new Map(galleryOrders)
  if (price !== undefined) {
    orders.set(`trait.${price}`, `${humanName(price)}, lowest first`)
    orders.set(`-trait.${price}`, `${humanName(price)}, highest first`)
  }
  if (!orders.has(criteria.order)) orders.set(criteria.order, describeOrder(criteria.order))
  return (
    <select
      class="order"
      aria-label="Order"
      value={criteria.order}
      onChange={event =>
        navigate(hrefOf([], writeCriteria({ ...criteria, order: event.currentTarget.value })))
      }
    >
      {[...orders].map(([name, label]) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  )
}
