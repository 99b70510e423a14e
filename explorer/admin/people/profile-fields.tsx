import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Role } from '../../../packages/client/schema.ts'
import { describeRights, roles } from './format.ts'
import { RuleField } from './rule-field.tsx'

/** A profile as typed. */
export interface ProfileInput {
  firstName: string
  lastName: string
  role: Role
  rule: string
  country: string
  mobile: string
  /** One per line. */
  wallets: string
}

type TextName = Exclude<keyof ProfileInput, 'role'>

export const labels: Record<TextName, string> = {
  firstName: 'First name',
  lastName: 'Last name',
  rule: 'Rule as JSON',
  country: 'Country',
  mobile: 'Mobile number',
  wallets: 'Wallets'
}

interface Props {
  typed: ProfileInput
  onChange: (change: Partial<ProfileInput>) => void
}

/** The fields of a profile that an administrator may set. */
export function ProfileFields({ typed, onChange }: Props) {
  const { role } = typed
  const hint = useId()
  const line = (name: TextName) => (
    <label class="form-field">
      <span class="label">{labels[name]}</span>
      <input
        class="field"
        value={typed[name]}
        autocomplete="off"
        onInput={event => onChange({ [name]: event.currentTarget.value })}
      />
    </label>
  )
  const lines = (name: TextName, hintText: ComponentChildren) => (
    <div class="form-field">
      <label class="form-field">
        <span class="label">{labels[name]}</span>
        <textarea
          class="field rule"
          rows={typed[name].includes('\n') ? 6 : 2}
          value={typed[name]}
          spellcheck={false}
          aria-describedby={`${hint}-${name}`}
          onInput={event => onChange({ [name]: event.currentTarget.value })}
        />
      </label>
      <span class="hint" id={`${hint}-${name}`}>
        {hintText}
      </span>
    </div>
  )
  return (
    <>
      <div class="pair">
        {line('firstName')}
        {line('lastName')}
      </div>
      <div class="form-field">
        <label class="form-field">
          <span class="label">Role</span>
          <select
            class="field"
            value={role}
            aria-describedby={`${hint}-role`}
            onChange={event => onChange({ role: event.currentTarget.value as Role })}
          >
            {roles.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <span class="hint" id={`${hint}-role`}>
          {describeRights(role)}.
        </span>
      </div>
      <RuleField
        title="Templates that this person sees and may change"
        seeLabel="See as this person"
        rule={typed.rule}
        onChange={rule => onChange({ rule })}
      >
        {lines(
          'rule',
          <>
            A filter as JSON, like <code>where</code> of <code>products</code>. Empty: all templates.
          </>
        )}
      </RuleField>
      <details>
        <summary>Country, mobile number, wallets</summary>
        <div class="admin-form">
          <div class="pair">
            {line('country')}
            {line('mobile')}
          </div>
          {lines('wallets', 'Addresses on blockchains, one on each line.')}
        </div>
      </details>
    </>
  )
}
