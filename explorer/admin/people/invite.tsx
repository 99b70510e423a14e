import { useState } from 'preact/hooks'
import { go, hrefOf } from '../../place.ts'
import { DialogForm } from '../dialog-form.tsx'
import { showOnce } from '../once.tsx'
import { ProfileFields, type Typed } from './profile-fields.tsx'
import { readRule, toWallets } from './words.ts'
import { inviteUser } from './write.ts'

const nobody: Typed & { email: string } = {
  ...{ email: '', firstName: '', lastName: '', role: 'reader', rule: '' },
  ...{ country: '', mobile: '', wallets: '' }
}

/** Adds a user and shows the link with which the user sets a password. */
export function Invite() {
  const [typed, setTyped] = useState(nobody)
  const invite = async () => {
    const { email, rule, wallets, ...others } = typed
    const read = readRule(rule)
    if ('problem' in read) return [read.problem]
    const profile = { ...others, where: read.where, wallets: toWallets(wallets) }
    const { problems, result } = await inviteUser({ email: email.trim(), ...profile })
    if (!result?.link || !result.user) return problems
    setTyped(nobody)
    showOnce({
      title: `The link for ${email.trim()}`,
      text: result.link,
      advice: 'Send it yourself. Whoever has it chooses the password of the account, once, within 24 hours.'
    })
    go(hrefOf(['admin', 'people', result.user.id]))
    return []
  }
  return (
    <DialogForm title="Invite" verb="Make the link" onSubmit={invite}>
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
