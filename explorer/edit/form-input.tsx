import { useState } from 'preact/hooks'
import { ReadInput } from '../numbers/read-input.tsx'
import { forms } from '../table/additions.ts'
import type { ColumnForm } from '../table/forms.ts'
import { Check } from '../ui/inputs.tsx'
import { convert, type Kind } from './trait-kinds.ts'

interface Props {
  form: ColumnForm
  value: string
  onChange: (value: unknown) => void
  /** Whether a text that cannot be read is refused until the user confirms it: many templates would get it. */
  mustConfirm?: boolean
  [attribute: string]: unknown
}

/** Writes a text of a trait as its field shows it. */
const writeText = (text: string, form: ColumnForm): string => forms?.writeForm(text, form) ?? text

/** Converts a value to another kind. A number is read by the language of the browser, in which the field shows it. */
export const convertShown = (value: unknown, kind: Kind, form: ColumnForm | undefined): unknown =>
  convert(form && typeof value === 'string' && kind === 'number' ? writeText(value, form) : value, kind)

/**
 * The input of a trait with amounts, dates or links, which the table reads and writes in the same way. The service takes
 * any text, so one that cannot be read stays as typed, with a note.
 */
export function FormInput({ form, mustConfirm, ...props }: Props) {
  const [confirmed, confirm] = useState<unknown>()
  const isKept = !mustConfirm || confirmed === props.value
  const read = (text: string) => {
    const reading =
      text.trim() === '' ? { value: '' } : forms?.readForm(text, { ...form, others: [] }, 'text')
    if (!reading || !('problem' in reading)) return reading ?? {}
    return {
      value: text,
      problem: `${isKept ? 'Kept as typed, unlike' : 'Unlike'} the other values: ${reading.problem}`
    }
  }
  return (
    <ReadInput<unknown>
      class="field"
      isAdvice={isKept}
      more={
        mustConfirm && (
          <Check checked={isKept} onChange={isChecked => confirm(isChecked ? props.value : undefined)}>
            Write it all the same
          </Check>
        )
      }
      {...props}
      read={read}
      write={value => writeText(String(value), form)}
    />
  )
}
