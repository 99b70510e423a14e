import { useState } from 'preact/hooks'
import type { User } from '../../../packages/client/schema.ts'
import { toLines } from '../../../runtime/lists.ts'
import { userId } from '../../api.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { finish } from '../mutation.ts'
import { formatRule, nameOf, parseRule, roleLabel } from './format.ts'
import { labels, ProfileFields, type ProfileInput } from './profile-fields.tsx'
import { type Profile, updateUser } from './write.ts'

interface Props {
  user: User
  onChange: () => void
}

/** Edits the profile, the role and the rule of a user. The dialog lists the changes before they are saved. */
export function ProfileForm({ user, onChange }: Props) {
  const stored = toInput(user)
  const [typed, setTyped] = useState(stored)
  const changed = (Object.keys(stored) as (keyof ProfileInput)[]).filter(name => typed[name] !== stored[name])
  const save = async () => {
    const read = parseRule(typed.rule)
    if ('problem' in read) return [read.problem]
    const all: Profile = { ...typed, where: read.where, wallets: toLines(typed.wallets) }
    const given = changed.map(name => (name === 'rule' ? 'where' : name))
    return finish(updateUser(user.id, Object.fromEntries(given.map(name => [name, all[name]]))), onChange)
  }
  const isOwn = user.id === userId() && (changed.includes('role') || changed.includes('rule'))
  return (
    <section class="admin-form card" aria-label="Name and rights">
      <ProfileFields typed={typed} onChange={change => setTyped({ ...typed, ...change })} />
      <div>
        <Confirm
          title={`Change ${nameOf(user)}?`}
          label="Save"
          confirmLabel="Save"
          look="primary"
          disabled={changed.length === 0}
          ownWarning={
            isOwn ? 'These are your own rights. You may not be able to undo the change.' : undefined
          }
          onConfirm={save}
        >
          {changed.map(name => (
            <p key={name}>{describe(name, stored, typed)}</p>
          ))}
          <p>Changes apply at once, also to open sessions of {nameOf(user)}.</p>
        </Confirm>
      </div>
    </section>
  )
}

/** Returns the stored profile as form input. */
export const toInput = ({
  firstName,
  lastName,
  role,
  country,
  mobile,
  where,
  wallets
}: User): ProfileInput => ({
  ...{ firstName, lastName, role, country, mobile },
  rule: formatRule(where),
  wallets: wallets.join('\n')
})

/** Describes the change of a field. */
function describe(name: keyof ProfileInput, stored: ProfileInput, typed: ProfileInput): string {
  if (name === 'role') return `Role: ${roleLabel(stored.role)} → ${roleLabel(typed.role)}.`
  if (name === 'rule')
    return typed.rule.trim() === '' ? 'All templates instead of some.' : 'Only the templates of the rule.'
  const toOneLine = (text: string) => toLines(text).join(', ') || 'none'
  return `${labels[name]}: ${toOneLine(stored[name])} → ${toOneLine(typed[name])}.`
}
