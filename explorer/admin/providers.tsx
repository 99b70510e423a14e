import type { LoginProvider } from '../../packages/client/schema.ts'
import { Loading } from '../parts/loading.tsx'
import { useQuery } from './use-pages.ts'

/** The OpenID providers of the login page. They come from a setting of the service, so the page cannot change them. */
export function Providers() {
  const { data, hasFailed } = useQuery<{ loginProviders: LoginProvider[] }>(
    'query Providers { loginProviders { id name issuer } }'
  )
  const providers = data?.loginProviders
  return (
    <>
      <h1>Login providers</h1>
      <p class="muted">
        {providers?.length === 0
          ? 'The login page offers none. The setting LOGIN_PROVIDERS adds them.'
          : 'The login page offers these. The setting LOGIN_PROVIDERS lists them.'}
      </p>
      {!data && !hasFailed && <Loading />}
      {hasFailed && <p class="notice warning">The login providers could not be read.</p>}
      {providers && providers.length > 0 && (
        <ul class="admin-list card">
          {providers.map(({ id, name, issuer }) => (
            <li key={id}>
              <strong>{name}</strong>
              <span class="muted">
                {id} · {issuer}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
