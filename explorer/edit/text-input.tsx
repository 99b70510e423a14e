import { useRef } from 'preact/hooks'

interface Props {
  value: string
  isLong?: boolean
  onChange: (text: string) => void
  [attribute: string]: unknown
}

/**
 * A text field. Once the text has had a line break, it stays a textarea, because replacing the element would lose the
 * focus.
 */
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

/** Restores the line breaks of the previous text: a textarea has no CR. */
export const withLineBreaks = (text: string, before: string): string =>
  text.replaceAll('\n', before.match(/\r\n?|\n/)?.[0] ?? '\n')
