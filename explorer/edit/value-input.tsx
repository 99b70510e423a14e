import { useRef, useState } from 'preact/hooks'
import { NumberInput } from '../numbers/number-input.tsx'
import type { Typed } from '../numbers/read-input.tsx'
import type { ColumnForm } from '../table/forms.ts'
import { Select, TextInput } from '../ui/inputs.tsx'
import { FormInput } from './form-input.tsx'
import { convert, type Kind } from './trait-kinds.ts'

/** Keeps a text that is no value, so that it is not lost if the user then chooses another kind. */
export function useUnread(onChange: (value: unknown) => void) {
  const [unread, setUnread] = useState<string>()
  const take = (value: unknown, typed?: Typed) => {
    setUnread(value === undefined ? typed?.text : undefined)
    if (value !== undefined || !typed) onChange(value)
  }
  return { unread, take }
}

const yesOrNo = [
  ['true', 'Yes'],
  ['false', 'No']
] as const

interface ValueProps {
  attributes: object
  kind: Kind
  value: unknown
  /** The form of the trait's texts; undefined if it takes any text. */
  form?: ColumnForm | undefined
  /** The value is undefined if the typed text cannot be read. */
  onChange: (value: unknown, typed?: Typed) => void
}

/** The input for a value of the given kind. */
export function TraitValue({ attributes, kind, value, form, onChange }: ValueProps) {
  /** Whether the value has had lines: another field in its place would lose the focus. */
  const hadLines = useRef(false)
  hadLines.current ||= typeof value === 'string' && /[\r\n]/.test(value)
  const common = { class: 'field', ...attributes }
  if (kind === 'absent') return <input {...common} disabled placeholder="no value" />
  if (kind === 'other') return <input {...common} disabled value={JSON.stringify(value)} />
  if (kind === 'boolean')
    return (
      <Select
        {...common}
        value={String(value)}
        choices={yesOrNo}
        onChange={next => onChange(next === 'true')}
      />
    )
  if (kind === 'list')
    return (
      <textarea
        {...common}
        rows={3}
        placeholder="One in each line"
        value={(value as string[]).join('\n')}
        onInput={event => onChange(convert(event.currentTarget.value, 'list'))}
      />
    )
  if (kind === 'number') return <NumberInput {...common} value={value} onChange={onChange} />
  if (form && !hadLines.current)
    // With another trait, nothing is confirmed yet.
    return <FormInput key={form.name} {...common} form={form} value={String(value)} onChange={onChange} />
  return <TextInput {...common} value={String(value)} onChange={onChange} />
}
