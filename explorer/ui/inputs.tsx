import type { AllHTMLAttributes, ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

/** The attributes that the page gives a field. */
type Attributes = Pick<AllHTMLAttributes, 'id' | 'class' | 'aria-label' | 'aria-invalid' | 'aria-describedby'>
type TextAttributes = Pick<
  AllHTMLAttributes,
  'list' | 'placeholder' | 'required' | 'maxLength' | 'spellcheck' | 'rows'
>

interface Props extends Attributes, TextAttributes {
  value: string
  type?: 'text' | 'search' | 'email' | 'url' | 'date'
  isLong?: boolean
  onChange: (text: string) => void
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
      autocomplete="off"
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

interface SelectProps<Value> extends Attributes {
  value: Value
  choices: readonly (readonly [value: Value, label: string])[]
  onChange: (value: Value) => void
}

/** A choice of one value. */
export function Select<Value extends string | number>({
  value,
  choices,
  onChange,
  ...attributes
}: SelectProps<Value>) {
  return (
    <select
      class="field"
      {...attributes}
      value={value}
      onChange={({ currentTarget: { selectedIndex } }) => {
        const [chosen] = choices[selectedIndex] ?? []
        if (chosen !== undefined) onChange(chosen)
      }}
    >
      {choices.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

interface CheckProps {
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
  /** The label. */
  children: ComponentChildren
}

/** A box to check, with its label. */
export const Check = ({ checked, disabled, onChange, children }: CheckProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      onChange={event => onChange(event.currentTarget.checked)}
    />
    {children}
  </label>
)

interface MessageProps {
  label: string
  value: string
  onChange: (message: string) => void
}

/** The field for the message of a revision. */
export const MessageField = ({ label, value, onChange }: MessageProps) => (
  <TextInput aria-label={label} placeholder={label} maxLength={1000} value={value} onChange={onChange} />
)
