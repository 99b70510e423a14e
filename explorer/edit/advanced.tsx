import { useState } from 'preact/hooks'
import { columns } from '../../domain/columns.ts'
import { documentKeys, type SharedField } from '../../domain/document.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { TextInput } from '../ui/inputs.tsx'
import type { Draft } from './draft.ts'
import { fieldOf, type Problem } from './problem.ts'
import { isSharedField, listUnlinked, relink, valueInDocument } from './shared-fields.ts'
import { toText } from './text-edit.ts'

interface Props {
  draft: Draft
  problems: Problem[]
  /** Called with a key of the document and its new text. */
  onText: (key: string, text: string) => void
  onChange: (change: Partial<Draft>) => void
}

/** The name and the component in the document, for the few templates whose document differs from the fields. */
export function Advanced({ draft, problems, onText, onChange }: Props) {
  const [isOpen, setOpen] = useState(false)
  const fields = Object.keys(documentKeys).filter(isSharedField)
  const at = (field: SharedField) =>
    problems.filter(problem => fieldOf(problem) === `/${documentKeys[field]}`)
  return (
    <details
      class="advanced"
      open={isOpen || fields.some(field => at(field).length > 0)}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>Advanced</summary>
      {fields.map(field => {
        const value = valueInDocument(draft.data, field)
        return (
          <div key={field} class="on-chain">
            <Field
              name={`/${documentKeys[field]}`}
              label={`${columns[field].label} on the chain`}
              hint={describe(draft, field)}
              problems={at(field)}
            >
              <TextInput value={toText(value)} onChange={text => onText(documentKeys[field], text)} />
            </Field>
            {value !== undefined && listUnlinked(draft).includes(field) && (
              <Button onClick={() => onChange(relink(draft, field))}>Make it the same</Button>
            )}
          </div>
        )
      })}
    </details>
  )
}

function describe(draft: Draft, field: SharedField): string {
  const value = valueInDocument(draft.data, field)
  if (value === undefined) return 'The document has none.'
  if (value !== draft[field]) return 'Differs from the template.'
  return listUnlinked(draft).includes(field)
    ? 'The same as in the template, but changed on its own.'
    : 'The same as in the template, and changed with it.'
}
