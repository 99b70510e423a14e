import type { Problem } from './save.ts'
import { convert, type Kind, kindOfValue, kinds } from './trait-kinds.ts'

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
  const invalid = problems.length > 0 || undefined
  const label = `trait ${index + 1}`
  return (
    <div class="trait-row">
      <input
        class="field"
        list="trait-names"
        aria-label={`Name of ${label}`}
        aria-invalid={invalid}
        value={String(name ?? '')}
        onInput={event => onChange('trait_type', event.currentTarget.value)}
      />
      <select
        class="field"
        aria-label={`Kind of ${label}`}
        value={kind}
        onChange={event => onChange('value', convert(value, event.currentTarget.value as Kind))}
      >
        {Object.entries(kinds).map(([key, text]) => (
          <option key={key} value={key} disabled={key === 'other'}>
            {text}
          </option>
        ))}
      </select>
      <div class="value-of-trait">
        <Value
          label={`Value of ${label}`}
          kind={kind}
          value={value}
          onChange={next => onChange('value', next)}
        />
      </div>
      <button type="button" class="button plain" aria-label={`Remove ${label}`} onClick={onRemove}>
        Remove
      </button>
      {problems.length > 0 && (
        <span class="problem">{problems.map(({ message }) => message).join('; ')}</span>
      )}
    </div>
  )
}

interface ValueProps {
  label: string
  kind: Kind
  value: unknown
  onChange: (value: unknown) => void
}

function Value({ label, kind, value, onChange }: ValueProps) {
  const common = { class: 'field', 'aria-label': label }
  if (kind === 'absent') return <input {...common} disabled placeholder="no value" />
  if (kind === 'other') return <input {...common} disabled value={JSON.stringify(value)} />
  if (kind === 'boolean')
    return (
      <select
        {...common}
        value={String(value)}
        onChange={event => onChange(event.currentTarget.value === 'true')}
      >
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
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
  if (kind === 'number')
    return (
      <input
        {...common}
        type="number"
        value={String(value)}
        onInput={event => onChange(event.currentTarget.valueAsNumber || 0)}
      />
    )
  return <input {...common} value={String(value)} onInput={event => onChange(event.currentTarget.value)} />
}
