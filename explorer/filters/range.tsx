import { NumberInput } from '../numbers/number-input.tsx'

interface Props {
  label: string
  from: number | undefined
  to: number | undefined
  /** Returns why a number cannot be a bound. */
  check?: (number: number) => string | undefined
  onChoose: (from: number | undefined, to: number | undefined) => void
}

/** The bounds of a range as text fields. An empty field has no bound. */
export function RangeFields({ label, from, to, check, onChoose }: Props) {
  const bound = (name: string, value: number | undefined, onChange: (bound: number | undefined) => void) => (
    <NumberInput
      inputMode="decimal"
      aria-label={`${label}, ${name}`}
      placeholder={name}
      isOptional
      isLate
      check={check}
      value={value}
      onChange={onChange}
    />
  )
  return (
    <div class="range">
      {bound('from', from, low => onChoose(low, to))}
      <span aria-hidden="true">–</span>
      {bound('to', to, high => onChoose(from, high))}
    </div>
  )
}
