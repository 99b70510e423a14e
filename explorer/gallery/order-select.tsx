import { hrefOf, navigate } from '../route.ts'
import { type Criteria, writeCriteria } from './criteria.ts'
import { describeOrder, galleryOrders } from './orders.ts'

/** The select for the order. It includes the current order, even if only the table offers it. */
export function OrderSelect({ criteria }: { criteria: Criteria }) {
  const names = new Set([...galleryOrders.map(([name]) => name), criteria.order])
  return (
    <select
      class="order"
      aria-label="Order"
      value={criteria.order}
      onChange={event =>
        navigate(hrefOf([], writeCriteria({ ...criteria, order: event.currentTarget.value })))
      }
    >
      {[...names].map(name => (
        <option key={name} value={name}>
          {describeOrder(name)}
        </option>
      ))}
    </select>
  )
}
