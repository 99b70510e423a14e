import { useId } from 'preact/hooks'
import { keepFocus } from '../numbers/read-input.tsx'
import type { ColumnForm } from '../table/forms.ts'
import { Button } from '../ui/button.tsx'
import { ProblemText } from '../ui/field.tsx'
import { Select, TextInput } from '../ui/inputs.tsx'
import { convertShown } from './form-input.tsx'
import { fieldOf, type Problem } from './problem.ts'
import { kindChoices, kindOfValue, kinds } from './trait-kinds.ts'
import { TraitValue, useUnread } from './value-input.tsx'

interface Props {
  index: number
  trait: unknown
  /** The form of the trait's texts; undefined if it takes any text. */
  form: ColumnForm | undefined
  problems: Problem[]
  /** Undefined removes the key. */
  onChange: (key: 'trait_type' | 'value', value: unknown) => void
  onRemove: () => void
}

/** A trait in the form: its name, the kind of its value, and the value. */
export function TraitRow({ index, trait, form, problems, onChange, onRemove }: Props) {
  const { trait_type: name, value } = (trait ?? {}) as Record<string, unknown>
  const kind = kindOfValue(value)
  const label = `trait ${index + 1}`
  const id = useId()
  const { unread, take } = useUnread(next => onChange('value', next))
  const propsOf = (part: 'trait_type' | 'value') => {
    const field = `/attributes/${index}/${part}`
    // Until the text is a value, the document has what was read before.
    const isOld = part === 'value' && unread !== undefined
    const found = problems.filter(problem => fieldOf(problem) === field && !isOld)
    const isWrong = found.length > 0
    const attributes = {
      'data-field': field,
      'aria-invalid': isWrong || undefined,
      'aria-describedby': isWrong ? `${id}-${part}` : undefined
    }
    return { found, attributes }
  }
  const [ofName, ofValue] = [propsOf('trait_type'), propsOf('value')]
  return (
    <div class="trait-row">
      <TextInput
        list="trait-names"
        aria-label={`Name of ${label}`}
        {...ofName.attributes}
        value={String(name ?? '')}
        onChange={name => onChange('trait_type', name)}
      />
      <Select
        aria-label={`Kind of ${label}`}
        data-field={`/attributes/${index}/value`}
        value={kind}
        choices={kind === 'other' ? [...kindChoices, ['other', kinds.other]] : kindChoices}
        onChange={next => take(convertShown(unread ?? value, next, form))}
      />
      <div class="value-of-trait">
        <TraitValue
          attributes={{ 'aria-label': `Value of ${label}`, ...ofValue.attributes }}
          {...{ kind, value, form }}
          onChange={take}
        />
      </div>
      <Button look="plain" aria-label={`Remove ${label}`} {...keepFocus} onClick={onRemove}>
        Remove
      </Button>
      <ProblemText id={`${id}-trait_type`} problems={ofName.found} />
      <ProblemText id={`${id}-value`} problems={ofValue.found} />
    </div>
  )
}
