import type { User } from '../../../packages/client/schema.ts'
import { userId } from '../../api.ts'
import { Loading } from '../../parts/loading.tsx'
import { Time } from '../../parts/time.tsx'
import { hrefOf, route } from '../../route.ts'
import { FilterSelect, FilterText } from '../filters.tsx'
import { pageInfo, usePages } from '../use-pages.ts'
import { AccountState } from './account-state.tsx'
import { initialsOf, nameOf, roleLabel, roles } from './format.ts'
import { Invite } from './invite.tsx'
import { userFields } from './write.ts'

const query = `query People($search: String, $role: Role, $disabled: Boolean, $after: String) {
  users(first: 50, search: $search, role: $role, disabled: $disabled, after: $after) {
    nodes { ${userFields} } ${pageInfo} } }`

const states = [
  { name: '', label: 'Any state' },
  { name: 'false', label: 'May log in' },
  { name: 'true', label: 'Disabled' }
]

export function People() {
  const { params } = route.value
  const [search, disabled] = [params.get('q'), params.get('disabled')]
  const role = roles.find(({ name }) => name === params.get('role'))?.name ?? null
  const { items, status, more } = usePages<User>(query, {
    search: search?.slice(0, 320),
    role,
    disabled: disabled === null ? null : disabled === 'true'
  })
  return (
    <>
      <div class="title">
        <h1>People</h1>
        <Invite />
      </div>
      <search class="filters">
        <FilterText name="q" label="Search names and e-mail addresses" />
        <FilterSelect name="role" label="Role" choices={[{ name: '', label: 'Any role' }, ...roles]} />
        <FilterSelect name="disabled" label="State" choices={states} />
      </search>
      <p role="status" class="muted">
        {status === 'ready' && items.length === 0 && 'Nobody matches. Remove a filter.'}
      </p>
      {status === 'reading' && items.length === 0 && <Loading />}
      {status === 'failed' && <p class="notice warning">The people could not be read.</p>}
      {items.length > 0 && <List people={items} isBusy={status === 'reading'} />}
      {more && (
        <button type="button" class="button" disabled={status === 'reading'} onClick={more}>
          Show more
        </button>
      )}
    </>
  )
}

function List({ people, isBusy }: { people: User[]; isBusy: boolean }) {
  return (
    <table class="admin-table card" aria-busy={isBusy}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Role</th>
          <th scope="col">Last login</th>
          <th scope="col" class="number">
            Sessions
          </th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {people.map(user => (
          <Row key={user.id} user={user} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ user }: { user: User }) {
  const { id, email, role, where, lastLogin, sessions } = user
  const name = nameOf(user)
  return (
    <tr>
      <th scope="row">
        <div class="who">
          <span class="initials" aria-hidden="true">
            {initialsOf(user)}
          </span>
          <span>
            <a href={hrefOf(['admin', 'people', id])}>{name}</a>
            {id === userId() && <span class="muted"> (you)</span>}
            {name !== email && <span class="muted second">{email}</span>}
          </span>
        </div>
      </th>
      <td>
        {roleLabel(role)}
        {where !== null && <span class="muted second">some templates</span>}
      </td>
      <td class="muted" data-label="Last login">
        {lastLogin === null ? 'never' : <Time time={lastLogin} />}
      </td>
      <td class="number" data-label="Sessions">
        {sessions}
      </td>
      <td>
        <AccountState user={user} />
      </td>
    </tr>
  )
}
