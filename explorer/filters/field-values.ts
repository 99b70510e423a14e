/** The values of the facets of fields. */

import { chainName, kindOf } from '../format.ts'
import type { Criteria } from '../gallery/criteria.ts'
import type { Counts } from './counts.ts'
import type { FacetValue } from './facet.tsx'
import { showCriteria, toggleValue } from './show-criteria.ts'

export const components = (counts: Counts, criteria: Criteria): FacetValue[] =>
  counts.components.map(({ value, count }) => ({
    key: value,
    text: kindOf(value),
    count,
    checked: criteria.components.includes(value),
    toggle: () => showCriteria({ ...criteria, components: toggleValue(criteria.components, value) })
  }))

export const chains = (counts: Counts, criteria: Criteria): FacetValue[] =>
  counts.chains.map(({ value, count }) => ({
    key: String(value),
    text: chainName(value),
    count,
    checked: criteria.chains.includes(value),
    toggle: () => showCriteria({ ...criteria, chains: toggleValue(criteria.chains, value) })
  }))

export const publicOrNot = (counts: Counts, criteria: Criteria): FacetValue[] =>
  counts.public.map(({ value, count }) => ({
    key: String(value),
    text: value ? 'Public' : 'Not public',
    count,
    checked: criteria.public === value,
    toggle: () => showCriteria({ ...criteria, public: criteria.public === value ? undefined : value })
  }))
