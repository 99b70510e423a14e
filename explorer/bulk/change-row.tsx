import type { TargetedKeyboardEvent } from 'preact'
import { mayPublish } from '../api.ts'
import { convertShown } from '../edit/form-input.tsx'
import { findForm, kindOfFacet } from '../edit/known-traits.ts'
import { convert, kindChoices, kindOfValue } from '../edit/trait-kinds.ts'
import { TraitValue, useUnread } from '../edit/value-input.tsx'
import type { TraitFacet } from '../filters/counts.ts'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/inputs.tsx'
import { checkNumber, choices, findTrait, firstValue, isTrait, type Row } from './rows.ts'

interface Props {
  row: Row
  index: number
  /** The traits of all templates. */
  facets: TraitFacet[]
  onChange: (change: Partial<Row>) => void
  onRemove?: () => void
}

/** A change in the dialog: a trait or a field, and its new value. */
export function ChangeRow({ row: { what, name, value }, index, facets, onChange, onRemove }: Props) {
  const label = `change ${index + 1}`
  // The value decides the kind: a field always has the same kind.
  const kind = kindOfValue(value)
  const { unread, take } = useUnread(next => onChange({ value: next }))
  const form = what === 'set' ? findForm(facets, findTrait(name, facets)) : undefined
  /** Finds the trait. A new value is of the kind that the trait has elsewhere. */
  const nameTrait = (text: string) => {
    const name = findTrait(text, facets)
    const facet = facets.find(({ type }) => type === name)
    onChange({
      name,
      ...(facet && (value === '' || value === 0) && { value: convert('', kindOfFacet(facet)) })
    })
  }
  return (
    <div class="change-row">
      <Select
        aria-label={`What ${label} is about`}
        value={what}
        choices={choices.filter(([key]) => key !== 'publicProduct' || mayPublish())}
        onChange={next => onChange({ what: next, value: firstValue(next) })}
      />
      {isTrait(what) && (
        <input
          class="field"
          aria-label={`Trait of ${label}`}
          placeholder="Trait"
          list="bulk-traits"
          value={name}
          onInput={event => onChange({ name: event.currentTarget.value })}
          onChange={event => nameTrait(event.currentTarget.value)}
          onKeyDown={event => {
            if (event.key === 'Enter') goOn(event)
          }}
        />
      )}
      {what === 'set' && (
        <Select
          aria-label={`Kind of ${label}`}
          value={kind}
          choices={kindChoices}
          onChange={next => take(convertShown(unread ?? value, next, form))}
        />
      )}
      {what !== 'remove' && (
        <TraitValue
          attributes={{
            'aria-label': `Value of ${label}`,
            placeholder: 'Value',
            ...(kind === 'text' && form && { mustConfirm: true }),
            ...(kind === 'number' && { check: (number: number) => checkNumber(what, number) })
          }}
          {...{ kind, value, form }}
          onChange={take}
        />
      )}
      {onRemove && (
        <Button look="plain" aria-label={`Remove ${label}`} onClick={onRemove}>
          Remove
        </Button>
      )}
    </div>
  )
}

/** Goes to the next field instead of submitting the form, so that the user sees which trait the text matches. */
function goOn(event: TargetedKeyboardEvent<HTMLInputElement>): void {
  event.preventDefault()
  const fields = [...(event.currentTarget.form?.elements ?? [])] as HTMLElement[]
  fields[fields.indexOf(event.currentTarget) + 1]?.focus()
}
