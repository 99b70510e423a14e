import { useState } from 'preact/hooks'
import { toLines } from '../../../runtime/lists.ts'
import { hrefOf, navigate } from '../../route.ts'
import { DialogForm } from '../dialog-form.tsx'
import { showSecret } from '../secret-dialog.tsx'
import { parseRule } from './format.ts'
import { ProfileFields, type ProfileInput } from './profile-fields.tsx'
import { inviteUser } from './write.ts'

const emptyUser: ProfileInput & { email: string } = {
  ...{ email: '', firstName: '', lastName: '', role: 'reader', rule: '' },
  ...{ country: '', mobile: '', wallets: '' }
}

/** Adds a user and shows the link with which the user sets a password. */
export function Invite() {
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
      <label class="form-field">
        <span class="label">E-mail address</span>
        <input
          class="field"
          type="email"
          required
          maxLength={320}
          autocomplete="off"
          value={typed.email}
          onInput={event => setTyped({ ...typed, email: event.currentTarget.value })}
        />
      </label>
      <ProfileFields typed={typed} onChange={change => setTyped({ ...typed, ...change })} />
    </DialogForm>
  )
}
