/** The values of the facets of fields. */

import type { Wanted } from '../gallery/wanted.ts'
import { chainName, kindOf } from '../words.ts'
import { choose, toggled } from './choose.ts'
import type { Counts } from './counts.ts'
import type { FacetValue } from './facet.tsx'

export const components = (counts: Counts, wanted: Wanted): FacetValue[] =>
  counts.components.map(({ value, count }) => ({
    key: value,
    text: kindOf(value),
    count,
    checked: wanted.components.includes(value),
    toggle: () => choose({ ...wanted, components: toggled(wanted.components, value) })
  }))

export const chains = (counts: Counts, wanted: Wanted): FacetValue[] =>
  counts.chains.map(({ value, count }) => ({
    key: String(value),
    text: chainName(value),
    count,
    checked: wanted.chains.includes(value),
    toggle: () => choose({ ...wanted, chains: toggled(wanted.chains, value) })
  }))

export const publicOrNot = (counts: Counts, wanted: Wanted): FacetValue[] =>
  counts.public.map(({ value, count }) => ({
    key: String(value),
    text: value ? 'Public' : 'Not public',
    count,
    checked: wanted.public === value,
    toggle: () => choose({ ...wanted, public: wanted.public === value ? undefined : value })
  }))
