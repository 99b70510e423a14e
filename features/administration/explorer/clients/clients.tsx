import { useState } from 'preact/hooks'
import { publicGrantTypes } from '../../../../domain/rights.ts'
import { DialogForm } from '../../../../explorer/admin/dialog-form.tsx'
import { showSecret } from '../../../../explorer/admin/secret-dialog.tsx'
import { useQuery } from '../../../../explorer/admin/use-pages.ts'
import { hrefOf, navigate } from '../../../../explorer/route.ts'
import { Field } from '../../../../explorer/ui/field.tsx'
import { Check, TextInput } from '../../../../explorer/ui/inputs.tsx'
import { Reading } from '../../../../explorer/ui/reading.tsx'
import type { OAuthClient } from '../../../../packages/client/schema.ts'
import { toLines } from '../../../../runtime/lists.ts'
import { ClientFields, type ClientInput } from './client-fields.tsx'
import { formatGrants } from './labels.ts'
import { addClient, clientFields } from './write.ts'

export const clientsQuery = `query Clients { clients { ${clientFields} } }`

export function Clients() {
  const reading = useQuery<{ clients: OAuthClient[] }>(clientsQuery)
  const { data } = reading
  return (
    <>
      <div class="title across">
        <h1>Clients</h1>
        <AddClient />
      </div>
      <p class="muted">Applications that use the service, for users or on their own behalf.</p>
      <Reading of={reading} problem="The clients could not be read." />
      {data && (
        <table class="lines admin-table card">
          <thead>
            <tr>
              <th scope="col">Client</th>
              <th scope="col">How it gets tokens</th>
              <th scope="col">Scopes</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {data.clients.map(client => (
              <Row key={client.id} client={client} />
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

function Row({
  client: { id, displayName, grantTypes, scopes, isPublic, firstParty, disabled }
}: {
  client: OAuthClient
}) {
  const kind = [isPublic && 'public', firstParty && 'yours'].filter(Boolean).join(', ')
  return (
    <tr>
      <th scope="row">
        <span>
          <a class="name-link" href={hrefOf(['admin', 'clients', id])}>
            {displayName || id}
          </a>
          {(displayName !== '' || kind !== '') && (
            <span class="muted second">{[displayName && id, kind].filter(Boolean).join(' · ')}</span>
          )}
        </span>
      </th>
      <td>{formatGrants(grantTypes)}</td>
      <td class="muted">{scopes.join(' ')}</td>
      <td>{disabled ? <span class="pill draft">Disabled</span> : <span class="pill">Active</span>}</td>
    </tr>
  )
}

const emptyClient: ClientInput & { id: string; isPublic: boolean } = {
  id: '',
  isPublic: false,
  displayName: '',
  grantTypes: ['authorization_code', 'refresh_token'],
  scopes: ['read'],
  firstParty: false,
  mayIntrospect: false,
  uris: ''
}

/** The advice next to each secret. */
export const secretAdvice = 'Anybody who has the secret can act as this client.'

/** Adds a client and shows its secret. */
function AddClient() {
  const [typed, setTyped] = useState(emptyClient)
  const { id, isPublic } = typed
  const add = async () => {
    const { uris, ...rest } = typed
    const { problems, result } = await addClient({ ...rest, redirectUris: toLines(uris) })
    if (problems.length > 0) return problems
    setTyped(emptyClient)
    if (result?.secret)
      showSecret({ title: `The secret of ${id}`, text: result.secret, advice: secretAdvice })
    navigate(hrefOf(['admin', 'clients', id]))
    return []
  }
  const setPublic = (isPublic: boolean) =>
    setTyped({
      ...typed,
      isPublic,
      // Removes what a public client cannot have.
      ...(isPublic && {
        mayIntrospect: false,
        grantTypes: typed.grantTypes.filter(name => publicGrantTypes.includes(name))
      })
    })
  return (
    <DialogForm title="Add a client" submitLabel="Add" onSubmit={add}>
      <Field label="Id">
        <TextInput required value={id} spellcheck={false} onChange={id => setTyped({ ...typed, id })} />
      </Field>
      <Check checked={isPublic} onChange={setPublic}>
        The client cannot keep a secret: a web page or an app (public)
      </Check>
      <ClientFields
        typed={typed}
        isPublic={isPublic}
        onChange={change => setTyped({ ...typed, ...change })}
      />
    </DialogForm>
  )
}
