import { type Criteria, writeCriteria } from '../gallery/criteria.ts'
import { hrefOf } from '../route.ts'
import { listActiveFilters } from './active-filters.ts'

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
