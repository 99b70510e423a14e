import type { TargetedKeyboardEvent } from 'preact'
import { mayPublish } from '../api.ts'
import { convert, type Kind, kindOfValue, kinds } from '../edit/trait-kinds.ts'
import { TraitValue, useUnread } from '../edit/trait-row.tsx'
import { checkNumber, choices, findTrait, firstValue, isTrait, type Row } from './rows.ts'

interface Props {
  row: Row
  index: number
  /** All trait types of the store. */
  traits: string[]
  onChange: (change: Partial<Row>) => void
  onRemove?: () => void
}

/** A change in the dialog: a trait or a field, and its new value. */
export function ChangeRow({ row: { what, name, value }, index, traits, onChange, onRemove }: Props) {
  const label = `change ${index + 1}`
  // The value decides the kind: a field always has the same kind.
  const kind = kindOfValue(value)
  const { unread, take } = useUnread(next => onChange({ value: next }))
  const choose = (next: Row['what']) => onChange({ what: next, value: firstValue(next) })
  return (
    <div class="change-row">
      <select
        class="field"
        aria-label={`What ${label} is about`}
        value={what}
        onChange={event => choose(event.currentTarget.value as Row['what'])}
      >
        {choices
          .filter(([key]) => key !== 'publicProduct' || mayPublish())
          .map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
      </select>
      {isTrait(what) && (
        <input
          class="field"
          aria-label={`Trait of ${label}`}
          placeholder="Trait"
          list="bulk-traits"
          value={name}
          onInput={event => onChange({ name: event.currentTarget.value })}
          onChange={event => onChange({ name: findTrait(event.currentTarget.value, traits) })}
          onKeyDown={event => {
            if (event.key === 'Enter') goOn(event)
          }}
        />
      )}
      {what === 'set' && (
        <select
          class="field"
          aria-label={`Kind of ${label}`}
          value={kind}
          onChange={event => take(convert(unread ?? value, event.currentTarget.value as Kind))}
        >
          {Object.entries(kinds)
            .filter(([key]) => key !== 'other')
            .map(([key, text]) => (
              <option key={key} value={key}>
                {text}
              </option>
            ))}
        </select>
      )}
      {what !== 'remove' && (
        <TraitValue
          attributes={{
            'aria-label': `Value of ${label}`,
            placeholder: 'Value',
            ...(kind === 'number' && { check: (number: number) => checkNumber(what, number) })
          }}
          kind={kind}
          value={value}
          onChange={take}
        />
      )}
      {onRemove && (
        <button type="button" class="button plain" aria-label={`Remove ${label}`} onClick={onRemove}>
          Remove
        </button>
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
