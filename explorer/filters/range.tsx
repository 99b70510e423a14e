import { useEffect, useState } from 'preact/hooks'

interface Props {
  label: string
  from: number | undefined
  to: number | undefined
  onChoose: (from: number | undefined, to: number | undefined) => void
}

/** The bounds of a range as text fields. An empty field has no bound. */
export function RangeFields({ label, from, to, onChoose }: Props) {
  return (
    <div class="range">
      <Bound label={`${label}, from`} value={from} onType={low => onChoose(low, to)} />
      <span aria-hidden="true">–</span>
      <Bound label={`${label}, to`} value={to} onType={high => onChoose(from, high)} />
    </div>
  )
}

interface BoundProps {
  label: string
  value: number | undefined
  onType: (number: number | undefined) => void
}

function Bound({ label, value, onType }: BoundProps) {
  const shown = value === undefined ? '' : String(value)
  // New counts rerender the field while the user types, so it keeps its own text.
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [shown])
  // A number field would silently drop a comma, depending on the browser's language.
  const number = Number(text.trim().replace(',', '.'))
  const isWrong = !Number.isFinite(number)
  const take = () => {
    if (!isWrong) onType(text.trim() === '' ? undefined : number)
  }
  return (
    <input
      class="field"
      inputMode="decimal"
      aria-invalid={isWrong}
      aria-label={label}
      placeholder={label.replace(/.* /, '')}
      value={text}
      onInput={event => setText(event.currentTarget.value)}
      onChange={take}
    />
  )
}
