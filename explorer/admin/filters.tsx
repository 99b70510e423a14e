import { useEffect, useRef, useState } from 'preact/hooks'
import { hrefOf, navigate, route } from '../route.ts'

/** Milliseconds after the last key before the list is filtered. */
const searchDelay = 200

/** Sets a filter of the list in the address. An empty value removes it. */
export function setFilter(name: string, value: string): void {
  const { path, params } = route.value
  const next = new URLSearchParams(params)
  if (value === '') next.delete(name)
  else next.set(name, value)
  navigate(hrefOf(path, next), { replace: true })
}

interface Props {
  name: string
  label: string
}

/** A text field that filters the list. */
export function FilterText({ name, label }: Props) {
  const given = route.value.params.get(name) ?? ''
  const [text, setText] = useState(given)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setText(given), [given])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <input
      type="search"
      class="field"
      aria-label={label}
      placeholder={label}
      maxLength={320}
      autocomplete="off"
      spellcheck={false}
      value={text}
      onInput={({ currentTarget: { value } }) => {
        setText(value)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => setFilter(name, value.trim()), searchDelay)
      }}
    />
  )
}

/** A date field that filters the list. */
export const FilterDate = ({ name, label }: Props) => (
  <label class="filter-date">
    <span class="label">{label}</span>
    <input
      type="date"
      class="field"
      value={route.value.params.get(name) ?? ''}
      onChange={event => setFilter(name, event.currentTarget.value)}
    />
  </label>
)

/**
 * Returns the start of a day in the user's time zone, as an ISO time. `later` adds days. Undefined if there is no valid
 * day.
 */
export function startOfDay(day: string | undefined, later = 0): string | undefined {
  const [year = Number.NaN, month = 1, date = 1] = (day ?? '').split('-').map(Number)
  const start = new Date(year, month - 1, date + later)
  return day && !Number.isNaN(start.getTime()) ? start.toISOString() : undefined
}

interface SelectProps extends Props {
  choices: { name: string; label: string }[]
}

/** A select that filters the list. Its first choice is no filter. */
export const FilterSelect = ({ name, label, choices }: SelectProps) => (
  <select
    class="field"
    aria-label={label}
    value={route.value.params.get(name) ?? ''}
    onChange={event => setFilter(name, event.currentTarget.value)}
  >
    {choices.map(({ name, label }) => (
      <option key={name} value={name}>
        {label}
      </option>
    ))}
  </select>
)
