import type { TraitChoice, Wanted } from '../gallery/wanted.ts'
import { humanName } from '../words.ts'
import { choose, toggled } from './choose.ts'
import { shortList, type TraitFacet } from './counts.ts'
import { Facet, type FacetValue } from './facet.tsx'
import { type NumberRange, NumbersHistogram } from './histogram.tsx'
import { MoreValues } from './more-values.tsx'

/** The filter of a trait: a range of numbers, or values to check. */
export function TraitFilter({ facet, wanted, open }: { facet: TraitFacet; wanted: Wanted; open: boolean }) {
  const { type, numbers } = facet
  const toShown = (facet: TraitFacet) => toValues(facet, wanted)
  const chooseNumbers = (range: NumberRange | undefined) => {
    const others = wanted.numbers.filter(one => one.type !== type)
    choose({ ...wanted, numbers: range ? [...others, { type, ...range }] : others })
  }
  return numbers ? (
    <Facet title={humanName(type)} open={open}>
      <NumbersHistogram
        label={humanName(type)}
        counts={numbers}
        chosen={wanted.numbers.find(one => one.type === type)}
        onChoose={chooseNumbers}
      />
    </Facet>
  ) : (
    <Facet title={humanName(type)} open={open} values={toShown(facet).slice(0, shortList)}>
      {facet.values.length > shortList && <MoreValues type={type} wanted={wanted} toValues={toShown} />}
    </Facet>
  )
}

const sameTrait = (a: TraitChoice, b: TraitChoice): boolean =>
  a.type === b.type && a.element === b.element && JSON.stringify(a.value) === JSON.stringify(b.value)

/** Returns the values of a trait for its facet. */
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
