import { useLayoutEffect, useRef } from 'preact/hooks'
import type { DateChoice } from '../gallery/criteria.ts'
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

export type DateRange = Omit<DateChoice, 'type'>

interface DatesProps extends DateRange {
  label: string
  onChoose: (range: DateRange) => void
}

/** The ends of a range of dates. */
export function DateFields({ label, onChoose, ...range }: DatesProps) {
  const end = (name: 'from' | 'to') => (
    <DateField
      label={`${label}, ${name}`}
      value={range[name] ?? ''}
      onChange={date => onChoose({ ...range, [name]: date || undefined })}
    />
  )
  return (
    <div class="range">
      {end('from')}
      <span aria-hidden="true">–</span>
      {end('to')}
    </div>
  )
}

interface DateProps {
  label: string
  value: string
  onChange: (date: string) => void
}

/** A date, or an empty text. What the user is typing stays, whatever is rendered meanwhile. */
function DateField({ label, value, onChange }: DateProps) {
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (input.current) input.current.value = value
  }, [value])
  return (
    <input
      ref={input}
      type="date"
      class="field"
      aria-label={label}
      // While the user types a year, the field has the years 2, 20 and 202.
      min="1000-01-01"
      max="9999-12-31"
      onChange={({ currentTarget: field }) => {
        if (field.checkValidity()) onChange(field.value)
      }}
    />
  )
}
