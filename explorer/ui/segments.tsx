import type { ComponentChildren } from 'preact'
import './segments.css'

interface Props<Value extends string> {
  label: string
  chosen: Value
  choices: { value: Value; content: ComponentChildren; label?: string }[]
  onChoose: (value: Value) => void
}

/** Buttons side by side, one of which is pressed. */
export function Segments<Value extends string>({ label, chosen, choices, onChoose }: Props<Value>) {
  return (
    <fieldset class="segments" aria-label={label}>
      {choices.map(({ value, content, label }) => (
        <button
          key={value}
          type="button"
          aria-label={label}
          title={label}
          aria-pressed={value === chosen}
          onClick={() => value !== chosen && onChoose(value)}
        >
          {content}
        </button>
      ))}
    </fieldset>
  )
}
