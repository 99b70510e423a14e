import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { finish } from '../../../../explorer/admin/mutation.ts'
import { userId } from '../../../../explorer/api.ts'
import { formatRule, parseRule } from '../../../../explorer/rule/format.ts'
import { RuleField } from '../../../../explorer/rule/rule-field.tsx'
import { Confirm } from '../../../../explorer/ui/confirm.tsx'
import { Field } from '../../../../explorer/ui/field.tsx'
import { Select, TextInput } from '../../../../explorer/ui/inputs.tsx'
import type { Role, User } from '../../../../packages/client/schema.ts'
import { toLines } from '../../../../runtime/lists.ts'
import { describeRights, nameOf, roleChoices, roleLabel } from './format.ts'
import { updateUser } from './write.ts'

/** Edits the profile, the role and the rule of a user. The dialog lists the changes before they are saved. */
export function ProfileForm({ user, onChange }: { user: User; onChange: () => void }) {
  const stored = toInput(user)
  const [typed, setTyped] = useState(stored)
  const changed = (Object.keys(stored) as (keyof ProfileInput)[]).filter(name => typed[name] !== stored[name])
  const save = async () => {
    const read = parseRule(typed.rule)
    if ('problem' in read) return [read.problem]
    const all = { ...typed, where: read.where, wallets: toLines(typed.wallets) }
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
          <p>
            Changes apply at once, also to open sessions. A new right to write or to administer comes with the
            next access token, which {nameOf(user)} gets at once by logging in again.
          </p>
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

/** A profile as typed. */
export interface ProfileInput {
  firstName: string
  lastName: string
  role: Role
  rule: string
  country: string
  mobile: string
  /** One per line. */
  wallets: string
}

type TextName = Exclude<keyof ProfileInput, 'role'>

const labels: Record<TextName, string> = {
  firstName: 'First name',
  lastName: 'Last name',
  rule: 'Rule as JSON',
  country: 'Country',
  mobile: 'Mobile number',
  wallets: 'Wallets'
}

interface FieldsProps {
  typed: ProfileInput
  onChange: (change: Partial<ProfileInput>) => void
}

/** The fields of a profile that an administrator may set. */
export function ProfileFields({ typed, onChange }: FieldsProps) {
  const { role } = typed
  const line = (name: TextName) => (
    <Field label={labels[name]}>
      <TextInput value={typed[name]} onChange={text => onChange({ [name]: text })} />
    </Field>
  )
  const lines = (name: TextName, hint: ComponentChildren) => (
    <Field label={labels[name]} hint={hint}>
      <TextInput
        class="field mono"
        isLong
        rows={typed[name].includes('\n') ? 6 : 2}
        value={typed[name]}
        spellcheck={false}
        onChange={text => onChange({ [name]: text })}
      />
    </Field>
  )
  return (
    <>
      <div class="pair">
        {line('firstName')}
        {line('lastName')}
      </div>
      <Field label="Role" hint={`${describeRights(role)}.`}>
        <Select value={role} choices={roleChoices} onChange={role => onChange({ role })} />
      </Field>
      <RuleField
        title="Templates that this person sees and may change"
        seeLabel="See as this person"
        rule={typed.rule}
        onChange={rule => onChange({ rule })}
      >
        {lines(
          'rule',
          <>
            A filter as JSON, like <code>where</code> of <code>products</code>. Empty: all templates.
          </>
        )}
      </RuleField>
      <details>
        <summary>Country, mobile number, wallets</summary>
        <div class="admin-form">
          <div class="pair">
            {line('country')}
            {line('mobile')}
          </div>
          {lines('wallets', 'Addresses on blockchains, one on each line.')}
        </div>
      </details>
    </>
  )
}
