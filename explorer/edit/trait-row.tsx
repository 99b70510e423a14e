import { useId, useState } from 'preact/hooks'
import { NumberInput, type Typed } from '../numbers/number-input.tsx'
import { Button } from '../ui/button.tsx'
import { ProblemText } from '../ui/field.tsx'
import { Select, TextInput } from '../ui/inputs.tsx'
import { fieldOf, type Problem } from './problem.ts'
import { convert, type Kind, kindChoices, kindOfValue, kinds } from './trait-kinds.ts'

interface Props {
  index: number
  trait: unknown
  problems: Problem[]
  /** Undefined removes the key. */
  onChange: (key: 'trait_type' | 'value', value: unknown) => void
  onRemove: () => void
}

/** A trait in the form: its name, the kind of its value, and the value. */
export function TraitRow({ index, trait, problems, onChange, onRemove }: Props) {
  const { trait_type: name, value } = (trait ?? {}) as Record<string, unknown>
  const kind = kindOfValue(value)
  const label = `trait ${index + 1}`
  const id = useId()
  const { unread, take } = useUnread(next => onChange('value', next))
  const propsOf = (part: 'trait_type' | 'value') => {
    const field = `/attributes/${index}/${part}`
    // Until the text is a number, the document has what was read before.
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
        onChange={next => take(convert(unread ?? value, next))}
      />
      <div class="value-of-trait">
        <TraitValue
          attributes={{ 'aria-label': `Value of ${label}`, ...ofValue.attributes }}
          kind={kind}
          value={value}
          onChange={take}
        />
      </div>
      <Button look="plain" aria-label={`Remove ${label}`} onClick={onRemove}>
        Remove
      </Button>
      <ProblemText id={`${id}-trait_type`} problems={ofName.found} />
      <ProblemText id={`${id}-value`} problems={ofValue.found} />
    </div>
  )
}

/** Keeps a text that is not a number, so that it is not lost if the user then chooses another kind. */
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
  /** The value is undefined if the typed text is not a number. */
  onChange: (value: unknown, typed?: Typed) => void
}

/** The input for a value of the given kind. */
export function TraitValue({ attributes, kind, value, onChange }: ValueProps) {
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
  return <TextInput {...common} value={String(value)} onChange={onChange} />
}
