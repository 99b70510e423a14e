import { useState } from 'preact/hooks'
import { DialogForm } from '../../../../explorer/admin/dialog-form.tsx'
import { FilterSelect, FilterText } from '../../../../explorer/admin/filters.tsx'
import { showSecret } from '../../../../explorer/admin/secret-dialog.tsx'
import { usePages } from '../../../../explorer/admin/use-pages.ts'
import { userId } from '../../../../explorer/api.ts'
import { hrefOf, navigate, route } from '../../../../explorer/route.ts'
import { parseRule } from '../../../../explorer/rule/format.ts'
import { Field } from '../../../../explorer/ui/field.tsx'
import { TextInput } from '../../../../explorer/ui/inputs.tsx'
import { ListEnd } from '../../../../explorer/ui/reading.tsx'
import { Time } from '../../../../explorer/ui/time.tsx'
import { pageInfo } from '../../../../explorer/ui/use-pages.ts'
import type { User } from '../../../../packages/client/schema.ts'
import { toLines } from '../../../../runtime/lists.ts'
import { AccountState } from './account-state.tsx'
import { initialsOf, nameOf, roleChoices, roleLabel, roles } from './format.ts'
import { ProfileFields, type ProfileInput } from './profile-form.tsx'
import { inviteUser, userFields } from './write.ts'

const query = `query People($search: String, $role: Role, $disabled: Boolean, $after: String) {
  users(first: 50, search: $search, role: $role, disabled: $disabled, after: $after) {
    nodes { ${userFields} } ${pageInfo} } }`

const states: [value: string, label: string][] = [
  ['', 'Any state'],
  ['false', 'May log in'],
  ['true', 'Disabled']
]

export function People() {
  const { params } = route.value
  const [search, disabled] = [params.get('q'), params.get('disabled')]
  const role = roles.find(({ name }) => name === params.get('role'))?.name ?? null
  const list = usePages<User>(query, {
    search: search?.slice(0, 320),
    role,
    disabled: disabled === null ? null : disabled === 'true'
  })
  const { items, status } = list
  return (
    <>
      <div class="title across">
        <h1>People</h1>
        <Invite />
      </div>
      <search class="filters">
        <FilterText name="q" label="Search names and e-mail addresses" />
        <FilterSelect name="role" label="Role" choices={[['', 'Any role'], ...roleChoices]} />
        <FilterSelect name="disabled" label="State" choices={states} />
      </search>
      <p role="status" class="muted">
        {status === 'ready' && items.length === 0 && 'Nobody matches. Remove a filter.'}
      </p>
      {items.length > 0 && <List people={items} isBusy={status === 'reading'} />}
      <ListEnd of={list} problem="The people could not be read." />
    </>
  )
}

function List({ people, isBusy }: { people: User[]; isBusy: boolean }) {
  return (
    <table class="lines admin-table card" aria-busy={isBusy}>
      <thead>
        <tr>
          {['Name', 'Role', 'Last login', 'Sessions', 'State'].map(head => (
            <th key={head} scope="col" class={head === 'Sessions' ? 'number' : undefined}>
              {head}
            </th>
          ))}
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
        <div class="who across">
          <span class="initials" aria-hidden="true">
            {initialsOf(user)}
          </span>
          <span>
            <a class="name-link" href={hrefOf(['admin', 'people', id])}>
              {name}
            </a>
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

const emptyUser: ProfileInput & { email: string } = {
  ...{ email: '', firstName: '', lastName: '', role: 'reader', rule: '' },
  ...{ country: '', mobile: '', wallets: '' }
}

/** Adds a user and shows the link with which the user sets a password. */
function Invite() {
  const [typed, setTyped] = useState(emptyUser)
  const invite = async () => {
    const { email, rule, wallets, ...others } = typed
    const read = parseRule(rule)
    if ('problem' in read) return [read.problem]
    const profile = { ...others, where: read.where, wallets: toLines(wallets) }
    const { problems, result } = await inviteUser({ email: email.trim(), ...profile })
    if (!result?.link || !result.user) return problems
    setTyped(emptyUser)
    showSecret({
      title: `The link for ${email.trim()}`,
      text: result.link,
      advice:
        'Send the link yourself. Anybody who has it can set the password of the account, once, within 24 hours.'
    })
    navigate(hrefOf(['admin', 'people', result.user.id]))
    return []
  }
  return (
    <DialogForm title="Invite" submitLabel="Make the link" onSubmit={invite}>
      <Field label="E-mail address">
        <TextInput
          type="email"
          required
          maxLength={320}
          value={typed.email}
          onChange={email => setTyped({ ...typed, email })}
        />
      </Field>
      <ProfileFields typed={typed} onChange={change => setTyped({ ...typed, ...change })} />
    </DialogForm>
  )
}
