import { humanName } from '../format.ts'
import type { Criteria, TraitChoice } from '../gallery/criteria.ts'
import { shortList, type TraitFacet } from './counts.ts'
import { Facet, type FacetValue } from './facet.tsx'
import { type NumberRange, NumbersHistogram } from './histogram.tsx'
import { MoreValues } from './more-values.tsx'
import { showCriteria, toggleValue } from './show-criteria.ts'

/** The filter of a trait: a range of numbers, or values to check. */
export function TraitFilter({
  facet,
  criteria,
  open
}: {
  facet: TraitFacet
  criteria: Criteria
  open: boolean
}) {
  const { type, numbers } = facet
  const toShown = (facet: TraitFacet) => toValues(facet, criteria)
  const chooseNumbers = (range: NumberRange | undefined) => {
    const others = criteria.numbers.filter(one => one.type !== type)
    showCriteria({ ...criteria, numbers: range ? [...others, { type, ...range }] : others })
  }
  return numbers ? (
    <Facet title={humanName(type)} open={open}>
      <NumbersHistogram
        label={humanName(type)}
        counts={numbers}
        chosen={criteria.numbers.find(one => one.type === type)}
        onChoose={chooseNumbers}
      />
    </Facet>
  ) : (
    <Facet title={humanName(type)} open={open} values={toShown(facet).slice(0, shortList)}>
      {facet.values.length > shortList && <MoreValues type={type} criteria={criteria} toValues={toShown} />}
    </Facet>
  )
}

const sameTrait = (a: TraitChoice, b: TraitChoice): boolean =>
  a.type === b.type && a.element === b.element && JSON.stringify(a.value) === JSON.stringify(b.value)

/** Returns the values of a trait for its facet. */
const toValues = ({ type, values }: TraitFacet, criteria: Criteria): FacetValue[] =>
  values.map(({ text, value, valueType, count }) => {
    const choice = { type, value, element: valueType === 'ARRAY' }
    return {
      key: `${valueType} ${JSON.stringify(value)}`,
      text,
      count,
      checked: criteria.traits.some(trait => sameTrait(trait, choice)),
      toggle: () => showCriteria({ ...criteria, traits: toggleValue(criteria.traits, choice, sameTrait) })
    }
  })
