import type { OAuthClient } from '../../../packages/client/schema.ts'
import { Loading } from '../../parts/loading.tsx'
import { hrefOf } from '../../route.ts'
import { useQuery } from '../use-pages.ts'
import { AddClient } from './add-client.tsx'
import { formatGrants } from './labels.ts'
import { clientFields } from './write.ts'

export const clientsQuery = `query Clients { clients { ${clientFields} } }`

export function Clients() {
  const { data, hasFailed } = useQuery<{ clients: OAuthClient[] }>(clientsQuery)
  return (
    <>
      <div class="title">
        <h1>Clients</h1>
        <AddClient />
      </div>
      <p class="muted">Applications that use the service, for users or on their own behalf.</p>
      {!data && !hasFailed && <Loading />}
      {hasFailed && <p class="notice warning">The clients could not be read.</p>}
      {data && (
        <table class="admin-table card">
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
          <a href={hrefOf(['admin', 'clients', id])}>{displayName || id}</a>
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
