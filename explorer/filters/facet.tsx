import type { ComponentChildren, TargetedEvent } from 'preact'
import { formatCount, formatText } from '../format.ts'

export interface FacetValue {
  key: string
  text: string
  count: number
  checked: boolean
  /** Adds the value to the filter, or removes it. */
  toggle: () => void
}

interface Props {
  /** With a name, it stays open or closed as the user has left it. */
  name?: string
  title: string
  open: boolean
  values?: FacetValue[]
  children?: ComponentChildren
}

/** Which filters the user has opened or closed, by name. They outlive a search that finds nothing. */
const opened = new Map<string, boolean>()

/** Lets an element stay open or closed as the user has left it. */
export const stayOpen = (name: string, open: boolean) => ({
  open: opened.get(name) ?? open,
  // `toggle` also tells of what the page opens.
  onClick: ({ target, currentTarget }: TargetedEvent<HTMLDetailsElement>) => {
    const summary = (target as Element).closest('summary')
    if (summary?.parentElement === currentTarget) opened.set(name, !currentTarget.open)
  }
})

/** The values of a field or a trait with their counts. */
export function Facet({ name, title, open, values = [], children }: Props) {
  if (values.length === 0 && !children) return null
  return (
    <details class="facet" {...(name === undefined ? { open } : stayOpen(name, open))}>
      <summary class="caption">{title}</summary>
      <FacetValues values={values} />
      {children}
    </details>
  )
}

export function FacetValues({ values }: { values: FacetValue[] }) {
  if (values.length === 0) return null
  const most = Math.max(1, ...values.map(value => value.count))
  return (
    <div class="values">
      {values.map(value => (
        <label key={value.key} class="value">
          <input type="checkbox" checked={value.checked} onChange={value.toggle} />
          <span class="text cut" title={value.text}>
            {value.text === '' ? <em>empty text</em> : formatText(value.text)}
          </span>
          <span class="count">{formatCount(value.count)}</span>
          <progress value={value.count} max={most} aria-hidden="true" />
        </label>
      ))}
    </div>
  )
}
