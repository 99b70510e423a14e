import { additions } from '../../../../explorer/admin/additions.ts'
import { useQuery } from '../../../../explorer/admin/use-pages.ts'
import { userId } from '../../../../explorer/api.ts'
import { plural } from '../../../../explorer/format.ts'
import { hrefOf } from '../../../../explorer/route.ts'
import { Reading } from '../../../../explorer/ui/reading.tsx'
import { Time } from '../../../../explorer/ui/time.tsx'
import { useTitle } from '../../../../explorer/ui/use-title.ts'
import type { User } from '../../../../packages/client/schema.ts'
import { LatestEvents } from '../trail/latest-events.tsx'
import { AccountState } from './account-state.tsx'
import { describeRights, nameOf } from './format.ts'
import { PersonActions } from './person-actions.tsx'
import { ProfileForm, toInput } from './profile-form.tsx'
import { userFields } from './write.ts'

const query = `query Person($id: ID!) { user(id: $id) { ${userFields} } }`

/** A user: profile, rights, sessions and latest events. */
export function Person({ id }: { id: string }) {
  const reading = useQuery<{ user: User | null }>(query, { id })
  const { data, reread } = reading
  const user = data?.user
  useTitle(user ? nameOf(user) : undefined)
  return (
    <>
      <p>
        <a href={hrefOf(['admin', 'people'])}>All people</a>
      </p>
      <Reading of={reading} problem="This person could not be read." />
      {user === null && <h1>There is no such account</h1>}
      {user === null && (
        <p class="muted">
          It may have been deleted. <a href={trailOf(id)}>Changes of this account</a>
        </p>
      )}
      {user && (
        <>
          <div class="title across">
            <h1>
              {nameOf(user)} {id === userId() && <span class="muted">(you)</span>}
            </h1>
            <AccountState user={user} />
          </div>
          <Facts user={user} />
          <PersonActions user={user} onChange={reread} />
          <ProfileForm key={JSON.stringify(toInput(user))} user={user} onChange={reread} />
          <LatestEvents actor={user.email} heading="Latest actions of this person" version={data} />
          <p>
            <a href={trailOf(id)}>Changes of this account</a>
          </p>
        </>
      )}
    </>
  )
}

const trailOf = (id: string) => hrefOf(['admin', 'trail'], new URLSearchParams({ target: id }))

function Facts({ user }: { user: User }) {
  const { email, role, where, sessions, lastLogin, failedLogins } = user
  return (
    <dl class="facts-list">
      <dt>E-mail</dt>
      <dd>{email}</dd>
      <dt>Rights</dt>
      <dd>
        {describeRights(role)}
        {where !== null && '; only templates that match the rule below'}
      </dd>
      <dt>Last login</dt>
      <dd>{lastLogin === null ? 'No login is recorded' : <Time time={lastLogin} />}</dd>
      <dt>Sessions</dt>
      <dd>
        {sessions === 0
          ? 'Not logged in'
          : `${plural(sessions, 'session')}. A login to this page makes two: of the browser and of the explorer.`}
      </dd>
      {failedLogins > 0 && (
        <>
          <dt>Failed logins</dt>
          <dd>{plural(failedLogins, 'wrong password')} recently</dd>
        </>
      )}
      {additions.map(({ userFacts }) => userFacts && <userFacts.Facts key={userFacts.fields} user={user} />)}
    </dl>
  )
}
