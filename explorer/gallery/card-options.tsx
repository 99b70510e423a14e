import { isUseful, readTraits } from '../filters/counts.ts'
import { listTellingColumns, telling } from '../filters/telling.ts'
import { humanName } from '../format.ts'
import { createSetting } from '../storage.ts'
import { Button } from '../ui/button.tsx'
import { Check } from '../ui/inputs.tsx'
import { Popover } from '../ui/popover.tsx'
import { Segments } from '../ui/segments.tsx'
import { useRead } from '../ui/use-read.ts'
import { chosenFacts, fieldFacts, listShownFacts } from './card-facts.ts'
import './card.css'

/** The size of the cards, and what they show. */
export const CardOptions = () => (
  <Popover label="Cards">
    <div class="stack">
      <CardSizeSwitch />
      <FactChoice />
    </div>
  </Popover>
)

/** The choice of facts, the telling ones first. */
function FactChoice() {
  const { data: facets = [] } = useRead(stop => readTraits(undefined, {}, stop), [])
  const shown = listShownFacts()
  const traits = facets.filter(isUseful).map(({ type }) => `trait.${type}`)
  const first = [...listTellingColumns(telling.value), ...shown]
  const keys = [...new Set([...first, ...traits, ...Object.keys(fieldFacts)])]
  const toggle = (key: string) => {
    chosenFacts.value = keys.filter(each => shown.includes(each) !== (each === key))
  }
  return (
    <fieldset class="stack">
      <legend class="caption">Shown on each card</legend>
      {keys.map(key => (
        <Check key={key} checked={shown.includes(key)} onChange={() => toggle(key)}>
          {fieldFacts[key]?.label ?? humanName(key.replace(/^trait\./, ''))}
        </Check>
      ))}
      {chosenFacts.value && (
        <Button
          onClick={() => {
            chosenFacts.value = undefined
          }}
        >
          Reset
        </Button>
      )}
    </fieldset>
  )
}

export type CardSize = 'large' | 'small'

export const cardSize = createSetting<CardSize>('card size', 'large')

function CardSizeSwitch() {
  return (
    <Segments
      label="Size of the cards"
      chosen={cardSize.value}
      choices={[
        { value: 'large', label: 'Large cards', content: <Squares inARow={2} /> },
        { value: 'small', label: 'Small cards', content: <Squares inARow={3} /> }
      ]}
      onChoose={size => {
        cardSize.value = size
      }}
    />
  )
}

const extent = 16

/** An icon of cards. */
function Squares({ inARow }: { inARow: number }) {
  const gap = 2
  const size = (extent - gap * (inARow - 1)) / inARow
  const places = Array.from({ length: inARow }, (_, at) => at * (size + gap))
  return (
    <svg width={extent} height={extent} fill="currentColor" aria-hidden="true">
      {places.flatMap(x =>
        places.map(y => <rect key={`${x} ${y}`} x={x} y={y} width={size} height={size} rx="1" />)
      )}
    </svg>
  )
}
