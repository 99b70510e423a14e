import { useEffect, useState } from 'preact/hooks'
import { isAborted } from '../asking.ts'
import { go, hrefOf } from '../place.ts'
import { humanName, kindOf } from '../words.ts'
import { type Counts, readCounts, shortList, type TraitFacet } from './counts.ts'
import { Facet, type FacetValue } from './facet.tsx'
import './facets.css'
import { Histogram } from './histogram.tsx'
import type { List } from './list.ts'
import { MoreValues } from './more-values.tsx'
import { type TraitChoice, type Wanted, writeWanted } from './wanted.ts'

/** Traits that are open at first; the others show their name only. */
const openTraits = 3

const choose = (wanted: Wanted) => go(hrefOf([], writeWanted(wanted)))

/** Adds a value to a list, or removes it. */
const toggled = <T,>(list: T[], one: T, isSame = (a: T, b: T) => a === b): T[] =>
  list.some(each => isSame(each, one)) ? list.filter(each => !isSame(each, one)) : [...list, one]

const sameTrait = (a: TraitChoice, b: TraitChoice): boolean =>
  a.type === b.type && a.element === b.element && JSON.stringify(a.value) === JSON.stringify(b.value)

/** Filters by columns and traits. The counts come after the templates: they take longer. */
export function Facets({ wanted, list }: { wanted: Wanted; list: List }) {
  const [counts, setCounts] = useState<Counts>()
  const isReady = list.state.value !== 'loading'
  useEffect(() => {
    if (!isReady) return undefined
    const stop = new AbortController()
    const seen = list.entries.peek().map(({ item }) => item.componentName)
    readCounts(wanted, seen, stop.signal)
      .then(setCounts)
      .catch(error => {
        if (!isAborted(error)) setCounts(undefined)
      })
    return () => stop.abort()
  }, [list.key, isReady, list.changes.value])
  const isWide = matchMedia('(min-width: 821px)').matches
  const body = counts && <Body wanted={wanted} counts={counts} />
  return (
    <aside class="facets" aria-label="Filters">
      {isWide ? (
        body
      ) : (
        <details class="filters">
          <summary class="button">Filters</summary>
          {body}
        </details>
      )}
    </aside>
  )
}

function Body({ wanted, counts }: { wanted: Wanted; counts: Counts }) {
  const components = counts.components.map(({ name, count }) => ({
    key: name,
    text: kindOf(name),
    count,
    checked: wanted.components.includes(name),
    toggle: () => choose({ ...wanted, components: toggled(wanted.components, name) })
  }))
  const visibility = ([true, false] as const)
    .map(value => ({
      key: String(value),
      text: value ? 'Public' : 'Not public',
      count: counts.public[value ? 'yes' : 'no'],
      checked: wanted.public === value,
      toggle: () => choose({ ...wanted, public: wanted.public === value ? undefined : value })
    }))
    .filter(({ count, checked }) => count > 0 || checked)
  return (
    <>
      <Facet title="Component" open values={components} />
      {counts.traits.map((facet, at) => (
        <TraitValues key={facet.type} facet={facet} wanted={wanted} open={at < openTraits} />
      ))}
      <Facet title="Visibility" open values={visibility} />
      <Facet title="Max items" open>
        <Histogram
          counts={counts.items}
          chosen={wanted.items}
          onChoose={items => choose({ ...wanted, items })}
        />
      </Facet>
    </>
  )
}

function TraitValues({ facet, wanted, open }: { facet: TraitFacet; wanted: Wanted; open: boolean }) {
  const { type } = facet
  const chosen = wanted.traits.some(trait => trait.type === type)
  const toShown = (facet: TraitFacet) => toValues(facet, wanted)
  return (
    <Facet title={humanName(type)} open={open || chosen} values={toShown(facet).slice(0, shortList)}>
      {facet.values.length > shortList && <MoreValues type={type} wanted={wanted} toValues={toShown} />}
    </Facet>
  )
}

/** What a facet shows of the values of a trait. */
const toValues = ({ type, values }: TraitFacet, wanted: Wanted): FacetValue[] =>
  values.map(({ text, value, valueType, count }) => {
    const choice = { type, value, element: valueType === 'ARRAY' }
    return {
      key: `${valueType} ${JSON.stringify(value)}`,
      text,
      count,
      checked: wanted.traits.some(trait => sameTrait(trait, choice)),
      toggle: () => choose({ ...wanted, traits: toggled(wanted.traits, choice, sameTrait) })
    }
  })
