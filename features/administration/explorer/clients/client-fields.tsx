import { Checks } from '../../../../explorer/admin/checks.tsx'
import { Field } from '../../../../explorer/ui/field.tsx'
import { Check, TextInput } from '../../../../explorer/ui/inputs.tsx'
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
  return (
    <>
      <Field label="Name">
        <TextInput
          value={displayName}
          maxLength={100}
          placeholder="Shown to users instead of the id"
          onChange={displayName => onChange({ displayName })}
        />
      </Field>
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
      <Field label="Redirect URIs" hint="URIs to which the login page sends users back, one on each line.">
        <TextInput
          class="field mono"
          isLong
          rows={2}
          value={uris}
          spellcheck={false}
          onChange={uris => onChange({ uris })}
        />
      </Field>
      <fieldset class="checks stack">
        <legend class="label">More</legend>
        <Check checked={firstParty} onChange={firstParty => onChange({ firstParty })}>
          The client is yours: users are not asked for consent
        </Check>
        {!isPublic && (
          <Check checked={mayIntrospect} onChange={mayIntrospect => onChange({ mayIntrospect })}>
            The client may introspect the tokens of other clients
          </Check>
        )}
      </fieldset>
    </>
  )
}
