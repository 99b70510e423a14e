import { useState } from 'preact/hooks'

/** A cell that can be corrected. It keeps what is typed while other rows are looked at again. */
export function CellField({
  label,
  isWrong,
  isDone,
  text,
  onCorrect
}: {
  label: string
  isWrong: boolean
  /** Whether it neither is wrong nor looks odd any more. */
  isDone: boolean
  text: string
  onCorrect: (text: string) => void
}) {
  const [typed, setTyped] = useState(text)
  return (
    <input
      class={isDone ? 'field cell-field done' : 'field cell-field'}
      aria-label={label}
      aria-invalid={isWrong}
      value={typed}
      onInput={event => setTyped(event.currentTarget.value)}
      onChange={() => onCorrect(typed)}
    />
  )
}
