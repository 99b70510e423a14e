import { useId } from 'preact/hooks'
import { listGrants, scopeLabels } from './labels.ts'
import type { Rights } from './write.ts'

/** The rights of a client as typed: `uris` has one redirect URI per line. */
export type ClientInput = Omit<Rights, 'redirectUris'> & { uris: string }

interface Props {
  typed: ClientInput
  isPublic: boolean
  onChange: (change: Partial<ClientInput>) => void
}

/** The form fields of a client. */
export function ClientFields({ typed, isPublic, onChange }: Props) {
  const { displayName, grantTypes, scopes: chosen, firstParty, mayIntrospect, uris } = typed
  const hint = useId()
  return (
    <>
      <label class="form-field">
        <span class="label">Name</span>
        <input
          class="field"
          value={displayName}
          maxLength={100}
          placeholder="Shown to users instead of the id"
          autocomplete="off"
          onInput={event => onChange({ displayName: event.currentTarget.value })}
        />
      </label>
      <Checks
        legend="How the client gets tokens"
        choices={listGrants(isPublic)}
        chosen={grantTypes}
        onChange={grantTypes => onChange({ grantTypes })}
      />
      <Checks
        legend="Scopes that the client may request"
        choices={Object.entries(scopeLabels)}
        chosen={chosen}
        onChange={scopes => onChange({ scopes })}
      />
      <div class="form-field">
        <label class="form-field">
          <span class="label">Redirect URIs</span>
          <textarea
            class="field rule"
            rows={2}
            value={uris}
            spellcheck={false}
            aria-describedby={hint}
            onInput={event => onChange({ uris: event.currentTarget.value })}
          />
        </label>
        <span class="hint" id={hint}>
          URIs to which the login page sends users back, one on each line.
        </span>
      </div>
      <fieldset class="checks">
        <legend class="label">More</legend>
        <Check
          label="The client is yours: users are not asked for consent"
          checked={firstParty}
          onChange={firstParty => onChange({ firstParty })}
        />
        {!isPublic && (
          <Check
            label="The client may introspect the tokens of other clients"
            checked={mayIntrospect}
            onChange={mayIntrospect => onChange({ mayIntrospect })}
          />
        )}
      </fieldset>
    </>
  )
}

interface ChecksProps {
  legend: string
  choices: [name: string, label: string][]
  chosen: string[]
  onChange: (chosen: string[]) => void
}

const Checks = ({ legend, choices, chosen, onChange }: ChecksProps) => (
  <fieldset class="checks">
    <legend class="label">{legend}</legend>
    {choices.map(([name, label]) => (
      <Check
        key={name}
        label={label}
        checked={chosen.includes(name)}
        onChange={isChosen => onChange(isChosen ? [...chosen, name] : chosen.filter(other => other !== name))}
      />
    ))}
  </fieldset>
)

interface CheckProps {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
}

export const Check = ({ label, checked, onChange }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={event => onChange(event.currentTarget.checked)} />
    {label}
  </label>
)
