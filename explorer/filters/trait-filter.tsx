import { useState } from 'preact/hooks'
import { dateIn, isNumber } from '../../domain/document.ts'
import { humanName } from '../format.ts'
import { type Criteria, type TraitChoice, toWhere } from '../gallery/criteria.ts'
import { formatCents, isPrice } from '../price.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextInput } from '../ui/inputs.tsx'
import { Reading } from '../ui/reading.tsx'
import { useRead } from '../ui/use-read.ts'
import { hasDates, hasMany, maxFewValues, readTraits, shortList, type TraitFacet } from './counts.ts'
import { Facet, type FacetValue } from './facet.tsx'
import { type NumberRange, NumbersHistogram } from './histogram.tsx'
import { DateFields, type DateRange } from './range.tsx'
import { showCriteria, toggleValue } from './show-criteria.ts'

/** The filter of a trait: a range of numbers or dates, or values to check. */
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
  const isChosen = (choices: { type: string }[]) => choices.some(one => one.type === type)
  // A range finds dates and numbers, but no words. Chosen values are shown, to be taken off.
  const toWords = (isInRange: (text: string) => boolean) =>
    toShown(facet)
      .filter(({ text, checked }) => checked || !isInRange(text))
      .slice(0, maxFewValues)
  const more = hasMany(facet) && <MoreValues type={type} criteria={criteria} toValues={toShown} />
  if (isChosen(criteria.dates) || (hasDates(facet) && !isChosen(criteria.numbers))) {
    const values = toWords(text => hasMany(facet) && dateIn(text) !== undefined)
    return (
      <Facet name={`trait ${type}`} title={humanName(type)} open={open} values={values}>
        <DatesFilter type={type} criteria={criteria} />
        {more}
      </Facet>
    )
  }
  const words = toWords(isNumber)
  return numbers ? (
    <Facet name={`trait ${type}`} title={humanName(type)} open={open} values={words}>
      <NumbersHistogram
        label={humanName(type)}
        counts={numbers}
        format={isPrice(type) ? formatCents : undefined}
        chosen={criteria.numbers.find(one => one.type === type)}
        onChoose={chooseNumbers}
      />
      {words.length > 0 && more}
    </Facet>
  ) : (
    <Facet
      name={`trait ${type}`}
      title={humanName(type)}
      open={open}
      values={toShown(facet).slice(0, shortList)}
    >
      {more}
    </Facet>
  )
}

/** The range of the dates of a trait. */
function DatesFilter({ type, criteria }: { type: string; criteria: Criteria }) {
  const others = criteria.dates.filter(one => one.type !== type)
  const { from, to } = criteria.dates.find(one => one.type === type) ?? {}
  const choose = ({ from, to }: DateRange) =>
    showCriteria({ ...criteria, dates: from || to ? [...others, { type, from, to }] : others })
  return <DateFields label={humanName(type)} from={from} to={to} onChoose={choose} />
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

/** The service's maximum number of values per trait. */
const longList = 100

interface Given {
  type: string
  criteria: Criteria
  toValues: (facet: TraitFacet) => FacetValue[]
}

/** The button that opens more values of a trait. */
function MoreValues(given: Given) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="plain more" onClick={() => setOpen(true)}>
        More<span class="hidden-visually"> values of {humanName(given.type)}</span>
      </Button>
      {isOpen && <ValuesDialog {...given} onClose={() => setOpen(false)} />}
    </>
  )
}

/** More values of a trait, in a list with a search. */
function ValuesDialog({ type, criteria, toValues, onClose }: Given & { onClose: () => void }) {
  const [search, setSearch] = useState('')
  const reading = useRead(
    stop => readTraits(toWhere(criteria, `trait ${type}`), { types: [type], first: longList }, stop),
    []
  )
  const { data } = reading
  const values = data?.[0] ? toValues(data[0]) : []
  const found = values.filter(({ text }) => text.toLowerCase().includes(search.toLowerCase()))
  const title = humanName(type)
  return (
    <Dialog title={title} onClose={onClose}>
      <TextInput
        type="search"
        aria-label={`Search the values of ${title}`}
        placeholder="Search"
        value={search}
        onChange={setSearch}
      />
      <Reading of={reading} problem="The values could not be read." />
      <div class="long-list">
        <Facet title={`${title}, the ${found.length} most frequent`} open values={found} />
      </div>
      <Button onClick={onClose}>Close</Button>
    </Dialog>
  )
}
