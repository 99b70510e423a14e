import { useState } from 'preact/hooks'
import { finish } from '../../../../explorer/admin/mutation.ts'
import { useQuery } from '../../../../explorer/admin/use-pages.ts'
import { hrefOf } from '../../../../explorer/route.ts'
import { Confirm } from '../../../../explorer/ui/confirm.tsx'
import { Reading } from '../../../../explorer/ui/reading.tsx'
import type { OAuthClient } from '../../../../packages/client/schema.ts'
import { toLines } from '../../../../runtime/lists.ts'
import { LatestEvents } from '../trail/latest-events.tsx'
import { ClientActions } from './client-actions.tsx'
import { ClientFields, type ClientInput } from './client-fields.tsx'
import { clientsQuery } from './clients.tsx'
import { ownClient, ownClientWarning } from './labels.ts'
import { type Rights, updateClient } from './write.ts'

/**
 * A client with its rights and its latest events. It is found in the list, which is short: the API has no query for
 * one.
 */
export function Client({ id }: { id: string }) {
  const reading = useQuery<{ clients: OAuthClient[] }>(clientsQuery)
  const { data, reread } = reading
  const client = data?.clients.find(client => client.id === id)
  return (
    <>
      <p>
        <a href={hrefOf(['admin', 'clients'])}>All clients</a>
      </p>
      <Reading of={reading} problem="This client could not be read." />
      {data && !client && <h1>There is no such client</h1>}
      {client && (
        <>
          <div class="title across">
            <h1>{client.displayName || id}</h1>
            {client.disabled ? <span class="pill draft">Disabled</span> : <span class="pill">Active</span>}
          </div>
          <dl class="facts-list">
            <dt>Id</dt>
            <dd class="mono">{id}</dd>
            <dt>Secret</dt>
            <dd>{client.isPublic ? 'None: the client is public' : 'The service keeps only its hash'}</dd>
          </dl>
          <ClientActions client={client} onChange={reread} />
          <ClientForm key={JSON.stringify(client)} client={client} onChange={reread} />
        </>
      )}
      {data && <LatestEvents target={id} heading="Latest changes of this client" version={data} />}
    </>
  )
}

const labels: Record<keyof Rights, string> = {
  displayName: 'the name',
  grantTypes: 'how the client gets tokens',
  scopes: 'the scopes that it may request',
  firstParty: 'whether users are asked for consent',
  mayIntrospect: 'whether it may introspect tokens',
  redirectUris: 'the redirect URIs'
}

/** Edits the rights of a client. */
function ClientForm({ client, onChange }: { client: OAuthClient; onChange: () => void }) {
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
