import { hrefOf, navigate, route } from '../route.ts'
import { Select, TextInput } from '../ui/inputs.tsx'
import { useTyping } from '../ui/use-typing.ts'

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
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={320}
      spellcheck={false}
      value={text}
      onChange={type}
    />
  )
}

/** A date field that filters the list. */
export const FilterDate = ({ name, label }: Props) => (
  <label class="filter-date across">
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
  choices: [value: string, label: string][]
}

/** A select that filters the list. Its first choice is no filter. */
export const FilterSelect = ({ name, label, choices }: SelectProps) => (
  <Select
    aria-label={label}
    value={route.value.params.get(name) ?? ''}
    choices={choices}
    onChange={value => setFilter(name, value)}
  />
)
