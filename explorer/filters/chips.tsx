import { type Criteria, readCriteria, writeCriteria } from '../gallery/criteria.ts'
import { hrefOf } from '../route.ts'
import { listActiveFilters } from './active-filters.ts'

/** Removes all filters, and keeps the order and the layout. */
export function ClearAll({ criteria: { order, layout, ...filters } }: { criteria: Criteria }) {
  if (listActiveFilters({ order, layout, ...filters }).length < 2) return null
  const params = writeCriteria({ ...readCriteria(new URLSearchParams()), order, layout })
  return (
    <a class="clear" href={hrefOf([], params)}>
      Clear all<span class="hidden-visually"> filters</span>
    </a>
  )
}

/** The active filters; a click removes one. */
export function Chips({ criteria }: { criteria: Criteria }) {
  return listActiveFilters(criteria).map(({ label, without }) => (
    <a key={label} class="pill" href={hrefOf([], writeCriteria(without))}>
      {label}
      <span aria-hidden="true">✕</span>
      <span class="hidden-visually">, remove</span>
    </a>
  ))
}
