import { chainName, kindOf } from '../format.ts'
import { type Criteria, listTypes } from '../gallery/criteria.ts'
import type { List } from '../gallery/list.ts'
import { Failure } from '../ui/reading.tsx'
import { useRead } from '../ui/use-read.ts'
import { type Counts, readCounts, type TraitFacet } from './counts.ts'
import { Facet, type FacetValue, FacetValues, stayOpen } from './facet.tsx'
import { ItemsHistogram } from './histogram.tsx'
import { showCriteria, toggleValue } from './show-criteria.ts'
import { sortByTelling, telling } from './telling.ts'
import { TraitFilter } from './trait-filter.tsx'
import './facets.css'

/** The number of trait facets beside the gallery; the others are behind “More filters”. */
const maxShown = 5
/** The number of trait facets that are open at first. */
const openTraits = 3

/** The filters. Their counts are read after the templates, because counting takes longer. */
export function Facets({ criteria, list }: { criteria: Criteria; list: List }) {
  const isReady = list.state.value !== 'loading'
  const {
    data: counts,
    hasFailed,
    reread
  } = useRead(
    stop => (isReady ? readCounts(criteria, stop) : undefined),
    [list.key, isReady, list.changes.value]
  )
  return (
    <aside class="facets" aria-label="Filters">
      {hasFailed && <Failure problem="The filters could not be read." onRetry={reread} />}
      {counts && !hasFailed && <Body criteria={criteria} counts={counts} />}
    </aside>
  )
}

/** The filters with their counts. */
export function Body({ criteria, counts }: { criteria: Criteria; counts: Counts }) {
  const isChosen = ({ type }: TraitFacet) => listTypes(criteria).includes(type)
  const sorted = sortByTelling(counts.traits, telling.value)
  const first = sorted.slice(0, maxShown)
  const { true: chosen = [], false: rest = [] } = Object.groupBy(sorted.slice(first.length), facet =>
    isChosen(facet) ? 'true' : 'false'
  )
  return (
    <>
      {[...first, ...chosen].map((facet, at) => (
        <TraitFilter
          key={facet.type}
          facet={facet}
          criteria={criteria}
          open={at < openTraits || isChosen(facet)}
        />
      ))}
      <Facet name="Public" title="Public" open values={publicOrNot(counts, criteria)} />
      <OnTheChain criteria={criteria} counts={counts} />
      {rest.length > 0 && (
        <details class="more-filters" {...stayOpen('More filters', false)}>
          <summary class="button">More filters</summary>
          {rest.map(facet => (
            <TraitFilter key={facet.type} facet={facet} criteria={criteria} open={false} />
          ))}
        </details>
      )}
    </>
  )
}

/** The fields that concern the items to mint. Few people filter by them. */
function OnTheChain({ criteria, counts }: { criteria: Criteria; counts: Counts }) {
  const isChosen = criteria.components.length + criteria.chains.length > 0 || criteria.items !== undefined
  return (
    <details class="facet on-the-chain" {...stayOpen('On the chain', isChosen)}>
      <summary class="caption">On the chain</summary>
      <FacetGroup title="Component" values={components(counts, criteria)} />
      <FacetGroup title="Blockchain" values={chains(counts, criteria)} />
      <h3>Max items</h3>
      <ItemsHistogram
        counts={counts.items}
        chosen={criteria.items}
        onChoose={items => showCriteria({ ...criteria, items })}
      />
    </details>
  )
}

/** Values that most templates share are no filter, so one alone is left out. */
const FacetGroup = ({ title, values }: { title: string; values: FacetValue[] }) =>
  values.length > 1 || values.some(({ checked }) => checked) ? (
    <>
      <h3>{title}</h3>
      <FacetValues values={values} />
    </>
  ) : null

const components = (counts: Counts, criteria: Criteria): FacetValue[] =>
  counts.components.map(({ value, count }) => ({
    key: value,
    text: kindOf(value),
    count,
    checked: criteria.components.includes(value),
    toggle: () => showCriteria({ ...criteria, components: toggleValue(criteria.components, value) })
  }))

const chains = (counts: Counts, criteria: Criteria): FacetValue[] =>
  counts.chains.map(({ value, count }) => ({
    key: String(value),
    text: chainName(value),
    count,
    checked: criteria.chains.includes(value),
    toggle: () => showCriteria({ ...criteria, chains: toggleValue(criteria.chains, value) })
  }))

const publicOrNot = (counts: Counts, criteria: Criteria): FacetValue[] =>
  counts.public.map(({ value, count }) => ({
    key: String(value),
    text: value ? 'Public' : 'Not public',
    count,
    checked: criteria.public === value,
    toggle: () => showCriteria({ ...criteria, public: criteria.public === value ? undefined : value })
  }))
