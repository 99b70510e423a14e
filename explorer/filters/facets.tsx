import { useEffect, useState } from 'preact/hooks'
import { isAborted } from '../asking.ts'
import { choose } from './choose.ts'
import { type Counts, readCounts, type TraitFacet } from './counts.ts'
import { Facet } from './facet.tsx'
import './facets.css'
import type { List } from '../gallery/list.ts'
import type { Wanted } from '../gallery/wanted.ts'
import { chains, components, publicOrNot } from './field-values.ts'
import { ItemsHistogram } from './histogram.tsx'
import { TraitFilter } from './trait-filter.tsx'

/** The number of facets beside the gallery; the others are behind “More filters”. */
const maxShown = 8
/** The number of trait facets that are open at first. */
const openTraits = 3

interface Props {
  wanted: Wanted
  list: List
}

/** The filters. Their counts are read after the templates, because counting takes longer. */
export function Facets({ wanted, list }: Props) {
  const [counts, setCounts] = useState<Counts>()
  const isReady = list.state.value !== 'loading'
  useEffect(() => {
    if (!isReady) return undefined
    const stop = new AbortController()
    readCounts(wanted, stop.signal)
      .then(setCounts)
      .catch(error => {
        if (!isAborted(error)) setCounts(undefined)
      })
    return () => stop.abort()
  }, [list.key, isReady, list.changes.value])
  return (
    <aside class="facets" aria-label="Filters">
      {counts && <Body wanted={wanted} counts={counts} />}
    </aside>
  )
}

function Body({ wanted, counts }: { wanted: Wanted; counts: Counts }) {
  const hasChains = counts.chains.length > 1 || wanted.chains.length > 0
  const isChosen = ({ type }: TraitFacet) =>
    [...wanted.traits, ...wanted.numbers].some(choice => choice.type === type)
  const first = counts.traits.slice(0, maxShown - (hasChains ? 4 : 3))
  const { true: chosen = [], false: rest = [] } = Object.groupBy(counts.traits.slice(first.length), facet =>
    isChosen(facet) ? 'true' : 'false'
  )
  return (
    <>
      <Facet title="Component" open values={components(counts, wanted)} />
      {hasChains && <Facet title="Blockchain" open values={chains(counts, wanted)} />}
      {[...first, ...chosen].map((facet, at) => (
        <TraitFilter
          key={facet.type}
          facet={facet}
          wanted={wanted}
          open={at < openTraits || isChosen(facet)}
        />
      ))}
      <Facet title="Public" open values={publicOrNot(counts, wanted)} />
      <Facet title="Max items" open>
        <ItemsHistogram
          counts={counts.items}
          chosen={wanted.items}
          onChoose={items => choose({ ...wanted, items })}
        />
      </Facet>
      {rest.length > 0 && (
        <details class="more-filters">
          <summary class="button">More filters</summary>
          {rest.map(facet => (
            <TraitFilter key={facet.type} facet={facet} wanted={wanted} open={false} />
          ))}
        </details>
      )}
    </>
  )
}
