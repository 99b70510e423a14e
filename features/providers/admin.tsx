import type { AdminAddition } from '../../explorer/admin/additions.ts'
import { useQuery } from '../../explorer/admin/use-pages.ts'
import { Loading } from '../../explorer/ui/reading.tsx'
import type { LoginProvider } from '../../packages/client/schema.ts'

/** The OpenID providers of the login page. They come from a setting of the service, so the page cannot change them. */
function Providers() {
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

/** `user` has the fields of `userFacts`. */
const Identities = ({ user }: { user: object }) =>
  (user as { identities: { issuer: string; subject: string }[] }).identities.map(({ issuer, subject }) => [
    <dt key={`${issuer} ${subject} title`}>At a provider</dt>,
    <dd key={`${issuer} ${subject}`}>
      {subject} at {issuer}
    </dd>
  ])

/** What providers add to the pages for administrators. */
export const admin: AdminAddition = {
  tab: { name: 'providers', label: 'Providers', Page: Providers },
  userFacts: { fields: 'identities { issuer subject }', Facts: Identities },
  describeDetails({ action, details }) {
    const { provider } = details as { provider?: string }
    if (provider === undefined) return ''
    if (action === 'user.add') return ` at the first login with ${provider}`
    return action === 'user.log_in' ? ` with ${provider}` : ''
  }
}
