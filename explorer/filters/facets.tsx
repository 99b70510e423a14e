import { useEffect, useState } from 'preact/hooks'
import { isAborted } from '../requests.ts'
import { type Counts, readCounts, type TraitFacet } from './counts.ts'
import { Facet } from './facet.tsx'
import { showCriteria } from './show-criteria.ts'
import './facets.css'
import type { Criteria } from '../gallery/criteria.ts'
import type { List } from '../gallery/list.ts'
import { chains, components, publicOrNot } from './field-values.ts'
import { ItemsHistogram } from './histogram.tsx'
import { TraitFilter } from './trait-filter.tsx'

/** The number of facets beside the gallery; the others are behind “More filters”. */
const maxShown = 8
/** The number of trait facets that are open at first. */
const openTraits = 3

interface Props {
  criteria: Criteria
  list: List
}

/** The filters. Their counts are read after the templates, because counting takes longer. */
export function Facets({ criteria, list }: Props) {
  const [counts, setCounts] = useState<Counts>()
  const isReady = list.state.value !== 'loading'
  useEffect(() => {
    if (!isReady) return undefined
    const stop = new AbortController()
    readCounts(criteria, stop.signal)
      .then(setCounts)
      .catch(error => {
        if (!isAborted(error)) setCounts(undefined)
      })
    return () => stop.abort()
  }, [list.key, isReady, list.changes.value])
  return (
    <aside class="facets" aria-label="Filters">
      {counts && <Body criteria={criteria} counts={counts} />}
    </aside>
  )
}

/** The filters with their counts. */
export function Body({ criteria, counts }: { criteria: Criteria; counts: Counts }) {
  const hasChains = counts.chains.length > 1 || criteria.chains.length > 0
  const isChosen = ({ type }: TraitFacet) =>
    [...criteria.traits, ...criteria.numbers].some(choice => choice.type === type)
  const first = counts.traits.slice(0, maxShown - (hasChains ? 4 : 3))
  const { true: chosen = [], false: rest = [] } = Object.groupBy(counts.traits.slice(first.length), facet =>
    isChosen(facet) ? 'true' : 'false'
  )
  return (
    <>
      <Facet title="Component" open values={components(counts, criteria)} />
      {hasChains && <Facet title="Blockchain" open values={chains(counts, criteria)} />}
      {[...first, ...chosen].map((facet, at) => (
        <TraitFilter
          key={facet.type}
          facet={facet}
          criteria={criteria}
          open={at < openTraits || isChosen(facet)}
        />
      ))}
      <Facet title="Public" open values={publicOrNot(counts, criteria)} />
      <Facet title="Max items" open>
        <ItemsHistogram
          counts={counts.items}
          chosen={criteria.items}
          onChoose={items => showCriteria({ ...criteria, items })}
        />
      </Facet>
      {rest.length > 0 && (
        <details class="more-filters">
          <summary class="button">More filters</summary>
          {rest.map(facet => (
            <TraitFilter key={facet.type} facet={facet} criteria={criteria} open={false} />
          ))}
        </details>
      )}
    </>
  )
}
