import type { OAuthClient } from '../../../packages/client/schema.ts'
import { Loading } from '../../parts/loading.tsx'
import { hrefOf } from '../../route.ts'
import { LatestEvents } from '../trail/latest-events.tsx'
import { useQuery } from '../use-pages.ts'
import { ClientActions } from './client-actions.tsx'
import { ClientForm } from './client-form.tsx'
import { clientsQuery } from './clients.tsx'

/**
 * A client with its rights and its latest events. It is found in the list, which is short: the API has no query for
 * one.
 */
export function Client({ id }: { id: string }) {
  const { data, hasFailed, reread } = useQuery<{ clients: OAuthClient[] }>(clientsQuery)
  const client = data?.clients.find(client => client.id === id)
  return (
    <>
      <p>
        <a href={hrefOf(['admin', 'clients'])}>All clients</a>
      </p>
      {!data && !hasFailed && <Loading />}
      {hasFailed && <p class="notice warning">This client could not be read.</p>}
      {data && !client && <h1>There is no such client</h1>}
      {client && (
        <>
          <div class="title">
            <h1>{client.displayName || id}</h1>
            {client.disabled ? <span class="pill draft">Disabled</span> : <span class="pill">Active</span>}
          </div>
          <dl class="admin-facts">
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
