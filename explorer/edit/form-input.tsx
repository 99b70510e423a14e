import { findNotation, writeNumber } from '../numbers/number-text.ts'
import { ReadInput, type Typed } from '../numbers/read-input.tsx'
import { forms } from '../table/additions.ts'
import type { ColumnForm } from '../table/forms.ts'
import type { Kind } from './trait-kinds.ts'

interface Props {
  form: ColumnForm
  kind: Kind
  value: unknown
  onChange: (value: unknown, typed: Typed) => void
  [attribute: string]: unknown
}

const notation = findNotation()

/** The input of a trait with amounts, dates or links, which the table reads and writes in the same way. */
export function FormInput({ form, kind, ...props }: Props) {
  const read = (text: string) =>
    text.trim() === '' ? { value: '' } : (forms?.readForm(text, form, kind) ?? {})
  const write = (value: unknown) =>
    typeof value === 'number'
      ? writeNumber(value, notation)
      : (forms?.writeForm(String(value), form) ?? String(value))
  return <ReadInput class="field" {...props} read={read} write={write} />
}
