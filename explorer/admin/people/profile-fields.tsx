import { useId } from 'preact/hooks'
import type { Role } from '../../../packages/client/schema.ts'
import { rightsOf, roles } from './words.ts'

/** A profile as it is typed. */
export interface Typed {
  firstName: string
  lastName: string
  role: Role
  rule: string
}

interface Props {
  typed: Typed
  onChange: (change: Partial<Typed>) => void
}

/** The fields of an account that an administrator sets. */
export function ProfileFields({ typed: { firstName, lastName, role, rule }, onChange }: Props) {
  const hint = useId()
  return (
    <>
      <div class="pair">
        <label class="form-field">
          <span class="label">First name</span>
          <input
            class="field"
            value={firstName}
            autocomplete="off"
            onInput={event => onChange({ firstName: event.currentTarget.value })}
          />
        </label>
        <label class="form-field">
          <span class="label">Last name</span>
          <input
            class="field"
            value={lastName}
            autocomplete="off"
            onInput={event => onChange({ lastName: event.currentTarget.value })}
          />
        </label>
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
          {rightsOf(role)}.
        </span>
      </div>
      <div class="form-field">
        <label class="form-field">
          <span class="label">Only these templates</span>
          <textarea
            class="field rule"
            rows={rule.includes('\n') ? 6 : 2}
            value={rule}
            spellcheck={false}
            aria-describedby={`${hint}-rule`}
            onInput={event => onChange({ rule: event.currentTarget.value })}
          />
        </label>
        <span class="hint" id={`${hint}-rule`}>
          A filter as JSON, like <code>where</code> of <code>products</code>. Empty: all templates.
        </span>
      </div>
    </>
  )
}
