import { useEffect, useState } from 'preact/hooks'
import { isUseful, readTraits } from '../filters/counts.ts'
import { listTellingColumns, telling } from '../filters/telling.ts'
import { humanName } from '../format.ts'
import { Popover } from '../parts/popover.tsx'
import { chosenFacts, fieldFacts, listShownFacts } from './card-facts.ts'
import './card-options.css'
import { CardSizeSwitch } from './card-size.tsx'

/** The size of the cards, and what they show. */
export const CardOptions = () => (
  <Popover label="Cards">
    <div class="card-options">
      <CardSizeSwitch />
      <FactChoice />
    </div>
  </Popover>
)

/** The choice of facts, the telling ones first. */
function FactChoice() {
  const [types, setTypes] = useState<string[]>([])
  useEffect(() => {
    readTraits(undefined, {})
      .then(facets => setTypes(facets.filter(isUseful).map(({ type }) => type)))
      .catch(() => {})
  }, [])
  const shown = listShownFacts()
  const traits = types.map(type => `trait.${type}`)
  const first = [...listTellingColumns(telling.value), ...shown]
  const keys = [...new Set([...first, ...traits, ...Object.keys(fieldFacts)])]
  const toggle = (key: string) => {
    chosenFacts.value = keys.filter(each => shown.includes(each) !== (each === key))
  }
  return (
    <fieldset>
      <legend>Shown on each card</legend>
      {keys.map(key => (
        <label key={key} class="check">
          <input type="checkbox" checked={shown.includes(key)} onChange={() => toggle(key)} />
          {fieldFacts[key]?.label ?? humanName(key.replace(/^trait\./, ''))}
        </label>
      ))}
      {chosenFacts.value && (
        <button
          type="button"
          class="button"
          onClick={() => {
            chosenFacts.value = undefined
          }}
        >
          Reset
        </button>
      )}
    </fieldset>
  )
}
