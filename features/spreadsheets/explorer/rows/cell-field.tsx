import { useState } from 'preact/hooks'

/** A cell to correct. It keeps its own text, because the rows are rerendered while the user types. */
export function CellField({
  label,
  shownLabel,
  isWrong,
  isDone,
  text,
  onCorrect
}: {
  label: string
  /** Empty if the row has no other field. */
  shownLabel: string
  isWrong: boolean
  /** Whether the cell is neither wrong nor odd any more. */
  isDone: boolean
  text: string
  onCorrect: (text: string) => void
}) {
  const [typed, setTyped] = useState(text)
  return (
    <label class="correct">
      {shownLabel}
      <input
        class={isDone ? 'field cell-field done' : 'field cell-field'}
        aria-label={label}
        aria-invalid={isWrong}
        value={typed}
        onInput={event => setTyped(event.currentTarget.value)}
        onChange={() => onCorrect(typed)}
      />
    </label>
  )
}
