import { useRef } from 'preact/hooks'
import { withLineBreaks } from './text-edit.ts'

interface Props {
  value: string
  isLong?: boolean
  onChange: (text: string) => void
  /** Other attributes of the element. */
  [attribute: string]: unknown
}

/** A field for a text. If the text ever had a line break, the field stays a textarea, so that it keeps the focus. */
export function TextInput({ value, isLong = false, onChange, ...attributes }: Props) {
  const hasLines = useRef(isLong)
  hasLines.current ||= /[\r\n]/.test(value)
  const Field = hasLines.current ? 'textarea' : 'input'
  return (
    <Field
      class="field"
      {...attributes}
      value={value}
      onInput={(event: { currentTarget: { value: string } }) =>
        onChange(withLineBreaks(event.currentTarget.value, value))
      }
    />
  )
}
