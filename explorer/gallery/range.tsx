import { useEffect, useState } from 'preact/hooks'
import { maxItems } from './wanted.ts'

type Range = [least: number, greatest: number]

interface Props {
  chosen: Range | undefined
  onChoose: (range: Range | undefined) => void
}

/** The least and the greatest number of items that are wanted, as typed; an empty field has no bound. */
export function RangeFields({ chosen, onChoose }: Props) {
  const [least, greatest] = chosen ?? [0, maxItems]
  const choose = (from: number, to: number) => {
    const [low, high] = from <= to ? [from, to] : [to, from]
    onChoose(low === 0 && high === maxItems ? undefined : [low, high])
  }
  return (
    <div class="range">
      <Bound label="from" value={least === 0 ? '' : least} onType={from => choose(from ?? 0, greatest)} />
      <span aria-hidden="true">–</span>
      <Bound
        label="to"
        value={greatest === maxItems ? '' : greatest}
        onType={to => choose(least, to ?? maxItems)}
      />
    </div>
  )
}

interface BoundProps {
  label: string
  value: number | ''
  onType: (number: number | undefined) => void
}

function Bound({ label, value, onType }: BoundProps) {
  // Counts that arrive while one types draw the field again.
  const [text, setText] = useState(String(value))
  useEffect(() => setText(String(value)), [value])
  const take = () => {
    const number = Math.min(maxItems, Math.max(0, Math.round(Number(text))))
    onType(text === '' || Number.isNaN(number) ? undefined : number)
  }
  return (
    <input
      class="field"
      type="number"
      min={0}
      max={maxItems}
      aria-label={`Max items, ${label}`}
      placeholder={label}
      value={text}
      onInput={event => setText(event.currentTarget.value)}
      onChange={take}
    />
  )
}
