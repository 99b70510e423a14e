import { useState } from 'preact/hooks'
import type { OAuthClient } from '../../../packages/client/schema.ts'
import { toLines } from '../../../runtime/lists.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { finish } from '../mutation.ts'
import { ClientFields, type ClientInput } from './client-fields.tsx'
import { type Rights, updateClient } from './write.ts'

interface Props {
  client: OAuthClient
  onChange: () => void
}

const labels: Record<keyof Rights, string> = {
  displayName: 'the name',
  grantTypes: 'how the client gets tokens',
  scopes: 'the scopes that it may request',
  firstParty: 'whether users are asked for consent',
  mayIntrospect: 'whether it may introspect tokens',
  redirectUris: 'the redirect URIs'
}

/** The id of the explorer's own client. Breaking it makes the explorer unusable. */
export const ownClient = 'explorer'
export const ownClientWarning =
  'The explorer itself is this client. You and all others may lose access to it.'

/** Edits the rights of a client. */
export function ClientForm({ client, onChange }: Props) {
  const { id, isPublic, redirectUris, displayName, grantTypes, scopes, firstParty, mayIntrospect } = client
  const stored: Rights = { displayName, grantTypes, scopes, firstParty, mayIntrospect, redirectUris }
  const [typed, setTyped] = useState<ClientInput>({ ...stored, uris: redirectUris.join('\n') })
  const { uris, ...rest } = typed
  const edited: Rights = { ...rest, redirectUris: toLines(uris) }
  const changed = (Object.keys(labels) as (keyof Rights)[]).filter(
    name => toComparable(edited[name]) !== toComparable(stored[name])
  )
  const save = () =>
    finish(updateClient(id, Object.fromEntries(changed.map(name => [name, edited[name]]))), onChange)
  return (
    <section class="admin-form card" aria-label="Rights">
      <ClientFields
        typed={typed}
        isPublic={isPublic}
        onChange={change => setTyped({ ...typed, ...change })}
      />
      <div>
        <Confirm
          title={`Change ${displayName || id}?`}
          label="Save"
          confirmLabel="Save"
          look="primary"
          disabled={changed.length === 0}
          ownWarning={id === ownClient ? ownClientWarning : undefined}
          onConfirm={save}
        >
          This changes {changed.map(name => labels[name]).join(', ')}. Existing tokens keep their scopes until
          they expire.
        </Confirm>
      </div>
    </section>
  )
}

/** Makes the order of grants and scopes irrelevant. */
const toComparable = (value: string | boolean | string[]): string =>
  JSON.stringify(Array.isArray(value) ? value.toSorted() : value)
