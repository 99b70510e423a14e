import { useTyping } from '../parts/use-typing.ts'
import { hrefOf, navigate, route } from '../route.ts'

/** Sets a filter of the list in the address. An empty value removes it. */
function setFilter(name: string, value: string): void {
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
  const [text, type] = useTyping(given, text => setFilter(name, text.trim()))
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
      onInput={event => type(event.currentTarget.value)}
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
